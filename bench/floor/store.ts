/** The floor of the prompt: Bun's start and the store's opening, built as the program is. */
import { openStore } from "../../packages/poppet/src/store/sqlite.ts";

openStore(process.argv[2] ?? "").then((store) => {
  store.close();
  process.exit(0);
});
