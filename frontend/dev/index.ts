import "../src/styles/fonts.css";
import "../src/styles/base.css";
import { CHAT_SCENES } from "./scenes/chat";

const PAGES: Record<string, string[]> = {
  chat: Object.keys(CHAT_SCENES),
  inbox: ["mine", "outcome", "form", "others", "decided", "empty", "conflict", "failed", "signedout", "long"],
  decide: ["approval", "outcome", "form", "closed", "waiting", "long"],
};

const list = document.getElementById("list")!;
for (const [page, scenes] of Object.entries(PAGES)) {
  const heading = document.createElement("h2");
  heading.className = "heading";
  heading.textContent = page;
  const links = document.createElement("p");
  links.className = "row row-wrap";
  for (const scene of scenes)
    for (const theme of ["light", "dark"]) {
      const link = document.createElement("a");
      link.href = `./${page}.html?scene=${scene}&theme=${theme}`;
      link.textContent = `${scene} ${theme}`;
      links.append(link);
    }
  list.append(heading, links);
}
