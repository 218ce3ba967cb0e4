/** The switch between light, dark and the system's theme, remembered by the browser. */
const KEY = "biaslab-theme";

export function startTheme(): void {
  const inputs = document.querySelectorAll<HTMLInputElement>(".theme input");
  const chosen = localStorage.getItem(KEY) ?? "system";
  for (const input of inputs) {
    input.checked = input.value === chosen;
    input.addEventListener("change", () => {
      if (input.value === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, input.value);
      dispatchEvent(new Event("biaslab:theme"));
    });
  }
}
