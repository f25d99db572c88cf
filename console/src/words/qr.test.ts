// @vitest-environment node
import { expect, test } from "vitest";
import { correctionOf, qrOf } from "./qr";

test("the correction is that of the standard's worked example", () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
  expect(correctionOf(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

test("a text takes the smallest code it fits into, and none where it is too long", () => {
  expect(qrOf("x".repeat(17))?.length).toBe(21);
  expect(qrOf("x".repeat(18))?.length).toBe(25);
  expect(qrOf("x".repeat(271))?.length).toBe(57);
  expect(qrOf("x".repeat(272))).toBeNull();
});
