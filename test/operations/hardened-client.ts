import { connect } from "../../src/client/index.js";

/** Sends a message to the agent at the address that it is given, and prints the answer. */
const [address = ""] = process.argv.slice(2);
const agent = await connect(address);
console.log(
  JSON.stringify(
    await agent.sendMessage({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] } }),
  ),
);
