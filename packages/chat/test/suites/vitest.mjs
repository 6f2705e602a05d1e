// For `vitest run`.
import { describe, test } from "vitest";
import { both } from "./both.mjs";

both({ describe, test });
