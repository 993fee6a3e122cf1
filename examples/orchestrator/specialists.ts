import { artifact, defineAgent, textOf, working } from "a2a-parley";

const cook = defineAgent({
  card: { name: "Cook", description: "Makes the menu." },
  async *execute() {
    yield working("tasting");
    yield artifact({ name: "menu" }).text("Soup, trout, pears");
  },
});

const florist = defineAgent({
  card: { name: "Florist", description: "Makes the table look nice." },
  async *execute() {
    yield working("cutting");
    yield artifact({ name: "flowers" }).text("Ranunculus");
  },
});

const sommelier = defineAgent({
  card: { name: "Sommelier", description: "Chooses the wine." },
  async *execute({ ask }) {
    const colour = textOf(yield* ask("Red or white?"));
    yield working("going to the cellar");
    yield artifact({ name: "wine" }).text(`A ${colour} from the Loire`);
  },
});

/** Three independent agents, by their paths on one server. */
export const specialists = { "/cook": cook, "/florist": florist, "/sommelier": sommelier };
