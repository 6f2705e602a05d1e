/** Tells when the real engine is in a part of its work that no event of a run shows: for tests that stop it there. */
import { Llama, LlamaContextSequence, LlamaModel } from "node-llama-cpp";

/** `reading-prompt` is told at each piece of a prompt, the others once for each load. */
export type EngineMoment = "loading-model" | "making-context" | "reading-prompt";

/** The engine works as ever; `tell` is called as soon as it has started each part. */
export function watchEngine(tell: (moment: EngineMoment) => void): Disposable {
  const { loadModel } = Llama.prototype;
  const { createContext } = LlamaModel.prototype;
  const { evaluateWithoutGeneratingNewTokens } = LlamaContextSequence.prototype;
  Llama.prototype.loadModel = function (...given) {
    const loading = loadModel.apply(this, given);
    tell("loading-model");
    return loading;
  };
  LlamaModel.prototype.createContext = function (...given) {
    const making = createContext.apply(this, given);
    tell("making-context");
    return making;
  };
  LlamaContextSequence.prototype.evaluateWithoutGeneratingNewTokens = function (...given) {
    const reading = evaluateWithoutGeneratingNewTokens.apply(this, given);
    tell("reading-prompt");
    return reading;
  };
  return {
    [Symbol.dispose]() {
      Object.assign(Llama.prototype, { loadModel });
      Object.assign(LlamaModel.prototype, { createContext });
      Object.assign(LlamaContextSequence.prototype, { evaluateWithoutGeneratingNewTokens });
    },
  };
}
