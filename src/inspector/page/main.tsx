import { render } from "preact";
import { App } from "./app.js";
import { followRoutes } from "./route.js";
import { startPage } from "./session/page-server.js";
import { startWithTarget } from "./session/start-target.js";
import { followTheme } from "./theme.js";

followTheme();
void startPage().then(startWithTarget);
followRoutes();
const app = document.getElementById("app");
if (app !== null) render(<App />, app);
