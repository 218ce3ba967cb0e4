/** The tour: where each step lies, what it points at and what it says. */
export interface Step {
  /** Address of the page. */
  page: string;
  /** Selector of the element that the step is about; shadow roots are searched too. */
  target: string;
  title: string;
  text: string;
}

const NURSE = "psychometric?word=nurse";

export const STEPS: readonly Step[] = [
  {
    page: NURSE,
    target: '[data-testid="question"]',
    title: "A question for a model",
    text: "The model sees blends of two words, from “woman” to “man”. For each blend it answers which of the two is closer to “nurse”.",
  },
  {
    page: NURSE,
    target: '[data-testid="alpha-handle"]',
    title: "Drag the blend",
    text: "Drag the handle, or press the arrow keys. Each row is one of 32 models, trained on resampled text. A row changes colour where its answer switches.",
  },
  {
    page: NURSE,
    target: '[data-testid="pse-label"]',
    title: "The point where the answer switches",
    text: "At the point of subjective equality (PSE) half of the models answer “man”. An unbiased model switches at 50 %. This one needs far more “man” for a nurse.",
  },
  {
    page: NURSE,
    target: 'section[aria-label="Verdict"]',
    title: "How sure you can be",
    text: "The interval says how much the point would move with other text to train on. If it excludes 50 %, the lean is clear.",
  },
  {
    page: NURSE,
    target: '[data-testid="word-input"]',
    title: "Your own word",
    text: "Type “engineer” and press Enter. The curve is fitted again at once. A word that the model does not know is marked, with words that it does know.",
  },
  {
    page: NURSE,
    target: '[data-testid="save-run"]',
    title: "Keep what you found",
    text: "Save run keeps the numbers, their intervals and everything needed to make them again.",
  },
  {
    page: "occupations",
    target: '[data-testid="rows"]',
    title: "Many words at once",
    text: "Each line is an occupation with its interval. Lines that reach 50 % show no clear lean. Beside them, the model’s order is compared with the labour market.",
  },
  {
    page: "runs",
    target: "h1",
    title: "Find it again",
    text: "Every run that you save comes here. Open one in its bench, compare two of them, or make a report to print or send.",
  },
  {
    page: "subjects",
    target: "#add",
    title: "Your own model",
    text: "Add word vectors, a model folder or a service. biaslab finds out what it is and which questions it can answer.",
  },
];
