import { defineAgent } from "a2a-parley";
import { adaptAgent } from "a2a-parley/bridges";
import { converter } from "./converter.js";

/** The converter as an A2A agent. An agent of any framework only needs a method such as `invoke` or `stream`. */
export const agent = defineAgent({
  card: {
    name: "Currency agent",
    description: "Converts amounts between currencies.",
    skills: [
      {
        id: "convert",
        name: "Convert",
        description: "Exchange values between currencies.",
        tags: ["currency"],
        examples: ["How much is 10 USD in INR?"],
      },
    ],
  },
  execute: adaptAgent(converter),
});
