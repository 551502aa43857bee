/**
 * Hosts of AI assistants, and the names of their apps, which Android sends as host. Google publishes no such list: GA4's
 * help names only examples (ChatGPT, Gemini, Claude). This one is ours, as of {@link ASSISTANTS_AS_OF}.
 */
const ASSISTANTS: ReadonlySet<string> = new Set([
  "ai.perplexity.app.android",
  "bard.google.com",
  "chat.deepseek.com",
  "chat.mistral.ai",
  "chat.openai.com",
  "chat.qwen.ai",
  "chatgpt.com",
  "claude.ai",
  "com.anthropic.claude",
  "com.google.android.apps.bard",
  "com.microsoft.copilot",
  "com.openai.chatgpt",
  "copilot.cloud.microsoft",
  "copilot.com",
  "copilot.microsoft.com",
  "duck.ai",
  "edgeservices.bing.com",
  "gemini.google.com",
  "grok.com",
  "kimi.com",
  "m365.cloud.microsoft",
  "meta.ai",
  "perplexity.ai",
  "phind.com",
  "pi.ai",
  "poe.com",
  "you.com",
]);

export const ASSISTANTS_AS_OF = "2026-11-26";

/** What GA4 reports for a visit from an assistant since 2026-05-13. */
export const ASSISTANT_MEDIUM = "ai-assistant";
export const ASSISTANT_CAMPAIGN = "(ai-assistant)";

/** @param source a host or the value of a tag, lower-cased; subdomains count */
export function isAssistant(source: string): boolean {
  for (let name = source; name.includes("."); name = name.slice(name.indexOf(".") + 1)) {
    if (ASSISTANTS.has(name)) return true;
  }
  return false;
}
