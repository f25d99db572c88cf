import { expect, test } from "vitest";
import { deviceOf } from "./device";

test("a browser is called by its name and its system, a program by its first word", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36";
  expect(deviceOf(chrome)).toBe("Chrome on Linux");
  expect(deviceOf("setpoint/0.1.0 python")).toBe("setpoint/0.1.0");
  expect(deviceOf("")).toBe("something unnamed");
});
