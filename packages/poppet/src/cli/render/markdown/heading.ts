/** A heading's text without the row of `#` that may close it: that is held until something follows it. */
export interface HeadingText {
  push(text: string): void;
  endLine(): void;
}

/** No heading is closed by more. */
const longestRow = 64;

export function openHeadingText(put: (text: string) => void): HeadingText {
  let row = "";
  let blanks = "";
  let afterBlank = true;

  function release(): void {
    if (row !== "") put(row + blanks);
    row = "";
    blanks = "";
  }

  /** True where the unit was taken in; otherwise it is text, and what was held before it has been put. */
  function holds(unit: string): boolean {
    const blank = unit === " " || unit === "\t";
    if (blank && row !== "") {
      blanks += unit;
      return true;
    }
    const begins = blanks !== "" || (row === "" && afterBlank);
    if (unit === "#" && blanks === "" && row !== "" && row.length < longestRow) {
      row += unit;
      return true;
    }
    release();
    afterBlank = blank;
    if (unit !== "#" || !begins) return false;
    row = unit;
    return true;
  }

  return {
    push(text) {
      let from = 0;
      for (let at = 0; at < text.length; at++) {
        const unit = text[at] ?? "";
        if (row === "" && unit === "#" && afterBlank && at > from) {
          put(text.slice(from, at));
          from = at;
        }
        if (holds(unit)) from = at + 1;
      }
      if (from < text.length) put(text.slice(from));
    },
    endLine() {
      row = "";
      blanks = "";
      afterBlank = true;
    },
  };
}
