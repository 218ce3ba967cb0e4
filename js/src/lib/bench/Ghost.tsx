/** As wide as English in the mean, and broken into lines as it is. */
const LETTERS = "words whose letters are as wide as those of most sentences, ";

/**
 * An unseen text of so many characters. In one grid cell with a text that changes it keeps the lines
 * that the longest one needs, in whatever font and width the page has.
 */
export const Ghost = ({ look, count }: { look: string; count: number }) => (
  <span
    class={`ghost ${look}`}
    data-letters={LETTERS.repeat(1 + count / 60).slice(0, count)}
    aria-hidden="true"
  />
);
