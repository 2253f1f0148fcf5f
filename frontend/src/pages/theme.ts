/** Light, dark or as the system: kept in a cookie, so that the server's first paint is already right. */
const YEAR = 365 * 24 * 3600;

export function startTheme(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-set]")) {
    button.addEventListener("click", () => {
      const theme = button.dataset.themeSet ?? "";
      if (theme) document.documentElement.dataset.theme = theme;
      else delete document.documentElement.dataset.theme;
      document.cookie = `theme=${theme};path=/;max-age=${theme ? YEAR : 0};samesite=lax`;
      for (const other of document.querySelectorAll<HTMLElement>("[data-theme-set]"))
        if (other === button) other.setAttribute("aria-current", "true");
        else other.removeAttribute("aria-current");
    });
  }
}
