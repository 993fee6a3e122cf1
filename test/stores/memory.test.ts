import { MemoryStore } from "../../src/stores/memory.js";
import { testTaskStore } from "./contract.js";

testTaskStore("memory", () => new MemoryStore());
