import { test } from "vitest";
import { isFetch } from "./hosts.js";

/** A test of what only `serve` and Koa do: sockets, header sizes, times of requests, certificates, an app around the agents, documents from files. */
export const koaTest = isFetch ? test.skip : test;
