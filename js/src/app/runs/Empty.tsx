/** What stands in place of a list without runs. */
export function Empty() {
  return (
    <article class="notice">
      <h1>Runs</h1>
      <p>
        A bench keeps a run when you press Save run, and a notebook or script with
        <code> result.save()</code>. Runs are listed here, so that you can find them again, reopen
        them, compare two of them and write a report.
      </p>
      <p class="begin">
        <a class="button primary" href="psychometric">
          Ask a first question
        </a>
        <a class="button" href="tour">
          Take the tour, 4 minutes
        </a>
        <a class="button" href="subjects#add">
          Use your own model
        </a>
      </p>
    </article>
  );
}
