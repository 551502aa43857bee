import { expect, it } from "vitest";
import { isAssistant } from "../../../src/calls/attribution/ai-assistants.ts";

it.each([
  ["chatgpt.com", true],
  ["www.perplexity.ai", true],
  ["gemini.google.com", true],
  ["com.openai.chatgpt", true],
  ["google.com", false],
  ["notchatgpt.com", false],
  ["chatgpt.com.evil.example", false],
  ["claude", false],
  ["", false],
])("isAssistant of %s is %s", (source, expected) => {
  expect(isAssistant(source)).toBe(expected);
});
