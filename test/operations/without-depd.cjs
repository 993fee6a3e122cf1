// Preloaded with `--require`: puts a package that does nothing in the place of depd, which Koa's packages announce deprecations with.
const Module = require("node:module");

const load = Module._load;

function deprecations() {
  const deprecate = () => undefined;
  return Object.assign(deprecate, { function: (wrapped) => wrapped, property: () => undefined });
}

Module._load = function (request, ...rest) {
  return request === "depd" ? deprecations : load.call(this, request, ...rest);
};
