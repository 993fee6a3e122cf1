"""Calls an agent with Python's grpcio: messages are made from the descriptor that comes on standard input."""
import base64, json, sys
import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf import empty_pb2, struct_pb2, timestamp_pb2  # noqa: F401

address, descriptor = sys.stdin.read().split()
pool = descriptor_pool.Default()
pool.AddSerializedFile(base64.b64decode(descriptor))
factory = message_factory.MessageFactory(pool)
service = pool.FindServiceByName("lf.a2a.v1.A2AService")
channel = grpc.insecure_channel(address)
metadata = (("a2a-version", "1.0"),)


def call(name, value, **options):
    method = service.methods_by_name[name]
    make = factory.GetPrototype(method.input_type)
    read = factory.GetPrototype(method.output_type).FromString
    kind = channel.unary_stream if "Stream" in name or name == "SubscribeToTask" else channel.unary_unary
    stub = kind(f"/{service.full_name}/{name}", request_serializer=make.SerializeToString, response_deserializer=read)
    return stub(json_format.ParseDict(value, make()), metadata=metadata, timeout=10, **options)


def show(name, value):
    print(json.dumps({"name": name, "value": value}))


message = {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "héllo"}, {"data": None}, {"raw": "AAEC"}]}
answer = json_format.MessageToDict(call("SendMessage", {"message": message}))
show("sent", answer)
task = answer["task"]["id"]
show("got", json_format.MessageToDict(call("GetTask", {"id": task, "historyLength": 0})))
show("listed", json_format.MessageToDict(call("ListTasks", {})))
events = [json_format.MessageToDict(event) for event in call("SendStreamingMessage", {"message": {**message, "messageId": "m2"}})]
show("streamed", [next(iter(event)) for event in events])
try:
    call("CancelTask", {"id": "nope"})
except grpc.RpcError as error:
    show("refused", [error.code().name, error.details(), "grpc-status-details-bin" in dict(error.trailing_metadata())])
config = {"taskId": task, "url": "https://example.com/hook"}
created = json_format.MessageToDict(call("CreateTaskPushNotificationConfig", config))
show("created", created["url"])
show("configs", len(json_format.MessageToDict(call("ListTaskPushNotificationConfigs", {"taskId": task}))["configs"]))
call("DeleteTaskPushNotificationConfig", {"taskId": task, "id": created["id"]})
show("card", json_format.MessageToDict(call("GetExtendedAgentCard", {}))["name"])
