// For `node --test`.
import { describe, test } from "node:test";
import { both } from "./both.mjs";

both({ describe, test });
