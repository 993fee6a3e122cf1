import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import * as grpc from "@grpc/grpc-js";
import { type TestContext, test } from "vitest";
import { completed } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { fieldsIn, textOf } from "../support/grpc-peer.js";
import { plainCard, serveGrpc } from "../support/peer.js";

// The bytes of requests and answers are written and read by hand, so that nothing leans on the descriptors that are tested.

const same = (bytes: Buffer) => bytes;

async function served(t: TestContext, options: ServeOptions["grpc"]) {
  const execute = async function* () {
    yield completed();
  };
  const server = await serveGrpc(t, { card: plainCard, execute }, { grpc: options });
  const client = new grpc.Client(server.grpcAddress, grpc.credentials.createInsecure());
  t.onTestFinished(() => client.close());
  return { ...server, client };
}

/** A message whose one field is a text. */
const field = (number: number, text: string) =>
  text === "" ? Buffer.alloc(0) : Buffer.from([number * 8 + 2, text.length, ...Buffer.from(text)]);

test("checks of health are answered on demand", async (t) => {
  const { client } = await served(t, { health: true });
  const check = (service: string) =>
    new Promise<grpc.ServiceError | number[]>((resolve) => {
      client.makeUnaryRequest("/grpc.health.v1.Health/Check", same, same, field(1, service), (error, bytes) =>
        resolve(error ?? [...(bytes ?? [])]),
      );
    });
  assert.deepEqual(await check(""), [8, 1]);
  assert.deepEqual(await check("lf.a2a.v1.A2AService"), [8, 1]);
  assert.deepEqual(await check("a2a.v1.A2AService"), [8, 1]);
  assert.equal(((await check("other.Service")) as grpc.ServiceError).code, grpc.status.NOT_FOUND);
});

test("a watch of health is told that the server stops, and one of a service that is not there that it is unknown", async (t) => {
  const { client, close } = await served(t, { health: true });
  const watch = (service: string) => {
    const call = client.makeServerStreamRequest(
      "/grpc.health.v1.Health/Watch",
      same,
      same,
      field(1, service),
    );
    const seen: number[][] = [];
    const first = new Promise<void>((resolve) =>
      call.on("data", (bytes: Buffer) => {
        seen.push([...bytes]);
        resolve();
      }),
    );
    const ended = new Promise<number>((resolve) => {
      call.on("error", ({ code }: grpc.ServiceError) => resolve(code));
      call.on("end", () => resolve(grpc.status.OK));
    });
    return { call, seen, first, ended };
  };
  const [all, unknown, left] = [watch(""), watch("other.Service"), watch("")];
  await Promise.all([all.first, unknown.first, left.first]);
  left.call.cancel();
  assert.equal(await left.ended, grpc.status.CANCELLED);
  await close();
  await Promise.all([all.ended, unknown.ended]);
  assert.deepEqual(
    [all.seen, unknown.seen],
    [
      [
        [8, 1],
        [8, 2],
      ],
      [[8, 3]],
    ],
  );
});

for (const version of ["v1", "v1alpha"]) {
  test(`reflection tells in ${version} which services there are, and gives their files`, async (t) => {
    const { client } = await served(t, { reflection: true });
    const ask = async (...questions: Buffer[]) => {
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const call = client.makeBidiStreamRequest(path, same, same);
      for (const question of questions) call.write(question);
      call.end();
      const answers: Buffer[] = [];
      for await (const answer of call) answers.push(answer as Buffer);
      return answers.map((answer) => fieldsIn(answer));
    };
    const [list, file, imported, missing] = await ask(
      field(7, "*"),
      field(4, "lf.a2a.v1.A2AService.SendMessage"),
      field(3, "google/protobuf/struct.proto"),
      field(4, "other.Service"),
    );
    const services = fieldsIn(list?.get(6)?.[0] as Uint8Array).get(1) ?? [];
    assert.deepEqual(services.map((one) => textOf(fieldsIn(one as Uint8Array).get(1))).sort(), [
      "a2a.v1.A2AService",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      "lf.a2a.v1.A2AService",
    ]);
    const descriptor = (answer: typeof file) =>
      fromBinary(
        FileDescriptorProtoSchema,
        fieldsIn(answer?.get(4)?.[0] as Uint8Array).get(1)?.[0] as Uint8Array,
      );
    assert.equal(descriptor(file).service[0]?.name, "A2AService");
    assert.equal(descriptor(file).service[0]?.method.length, 11);
    assert.equal(descriptor(imported).name, "google/protobuf/struct.proto");
    assert.equal(fieldsIn(missing?.get(7)?.[0] as Uint8Array).get(1)?.[0], grpc.status.NOT_FOUND);
  });
}

test("reflection knows of no extensions, and refuses questions of unknown kinds as grpc-go does", async (t) => {
  const { client } = await served(t, { reflection: true });
  const ask = async (question: Buffer) => {
    const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const call = client.makeBidiStreamRequest(path, same, same);
    call.end(question);
    for await (const answer of call) return fieldsIn(answer as Buffer);
    return undefined;
  };
  const errorOf = (answer: Awaited<ReturnType<typeof ask>>) => {
    const error = fieldsIn(answer?.get(7)?.[0] as Uint8Array);
    return [error.get(1)?.[0], textOf(error.get(2))];
  };
  const none = fieldsIn((await ask(field(6, "lf.a2a.v1.Task")))?.get(5)?.[0] as Uint8Array);
  assert.deepEqual([textOf(none.get(1)), none.get(2)], ["lf.a2a.v1.Task", undefined]);
  assert.deepEqual(errorOf(await ask(field(6, "lf.a2a.v1.Nothing"))), [
    grpc.status.NOT_FOUND,
    "There is no lf.a2a.v1.Nothing",
  ]);
  const extension = Buffer.concat([field(1, "lf.a2a.v1.Task"), Buffer.from([0x10, 7])]);
  assert.deepEqual(errorOf(await ask(field(5, String(extension)))), [
    grpc.status.NOT_FOUND,
    "There is no extension 7 of lf.a2a.v1.Task",
  ]);
  // A question without a kind, and one of a kind that no version has.
  for (const question of [field(1, "localhost"), field(9, "x")])
    await assert.rejects(ask(question), { code: grpc.status.INVALID_ARGUMENT });
});

test("SEC-08: a question that is larger than a name is refused before its bytes have come", async (t) => {
  const { grpcAddress, client } = await served(t, { health: true, reflection: true });
  const session = connectHttp2(`http://${grpcAddress}`);
  t.onTestFinished(() => session.destroy());
  const announced = Buffer.alloc(5);
  announced.writeUInt32BE(9 * 1024 * 1024, 1);
  const call = session.request({
    ":method": "POST",
    ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "content-type": "application/grpc",
    te: "trailers",
  });
  call.write(Buffer.concat([announced, Buffer.alloc(1024)]));
  call.resume();
  const [trailers] = await once(call, "trailers");
  assert.equal(Number(trailers["grpc-status"]), grpc.status.RESOURCE_EXHAUSTED);
  const check = (service: string) =>
    new Promise<grpc.ServiceError | null>((resolve) => {
      const length = Buffer.byteLength(service);
      const name = Buffer.from([
        10,
        (length & 127) | 128,
        ((length >> 7) & 127) | 128,
        length >> 14,
        ...Buffer.from(service),
      ]);
      client.makeUnaryRequest("/grpc.health.v1.Health/Check", same, same, name, (error) => resolve(error));
    });
  assert.equal((await check("x".repeat(20_000)))?.code, grpc.status.RESOURCE_EXHAUSTED);
  const unknown = await check("é".repeat(5000));
  assert.deepEqual(
    [unknown?.code, unknown?.details],
    [grpc.status.NOT_FOUND, `There is no service ${"é".repeat(256)}`],
  );
});

test("neither is there unless the options say so", async (t) => {
  const { client } = await served(t, {});
  for (const path of [
    "/grpc.health.v1.Health/Check",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  ]) {
    const error = await new Promise<grpc.ServiceError | null>((resolve) => {
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (failure) => resolve(failure));
    });
    assert.equal(error?.code, grpc.status.UNIMPLEMENTED, path);
  }
});
