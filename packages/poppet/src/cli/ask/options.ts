/** A question that is answered by one of a list, and which of the list fit what is typed. */
export interface Option<Value> {
  readonly label: string;
  readonly detail?: string;
  readonly value: Value;
}

export interface Question<Value> {
  readonly title: string;
  readonly options: readonly Option<Value>[];
  /** Where the highlight begins; default: the first. */
  readonly selected?: number;
  /** What a typed name that is none of the list means; null: nothing. */
  readonly own?: (typed: string) => Value | null;
  /** Whether Esc leads back to the question before. */
  readonly back: boolean;
}

/** Those with all of the words in their names, whatever the case. */
export function matching<Value>(options: readonly Option<Value>[], typed: string): readonly Option<Value>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}
