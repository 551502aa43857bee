import { drawIndex, pick, type Random } from "../random.ts";

/** One element of transcription_details (API v3 § 2.3). */
export interface SpokenLine {
  readonly channel: "agent" | "caller";
  /** mm:ss from the start of the call. */
  readonly time: string;
  readonly text: string;
}

const LONGEST_LINES = 40;
const SECONDS_PER_LINE = 7;

const AGENTS = ["Dana", "Luis", "Priya", "Marcus", "Zoë", "Beth"] as const;
const CALLERS = [
  "Ms. Alvarez",
  "Mr. Okafor",
  "Ms. Lindqvist",
  "Mr. Tran",
  "Ms. Muñoz",
  "Mr. Whitfield",
] as const;

/** What a call is about: in its summary, and in the caller's words. */
type Topic = readonly [about: string, request: string];

const TOPICS: readonly [Topic, ...Topic[]] = [
  ["an air conditioner that blows warm air", "my AC has been blowing warm air since last night"],
  ["a burst pipe under the kitchen sink", "a pipe burst under my kitchen sink and the floor is wet"],
  ["a water heater that trips its breaker", "our water heater trips the breaker every morning"],
  ["a quote for a new heat pump", "I would like a quote for replacing our heat pump"],
  ["the yearly maintenance visit", "I need to book the yearly tune-up for two units"],
  ["an invoice that was charged twice", "I think I was charged twice for the last visit"],
  ["a slow drain in the upstairs bath", "the drain in the upstairs bath is very slow again"],
  ["an application for a job", "I saw your job ad and would like to apply as a technician"],
  ["an offer of online marketing", "we can get your business to the top of the search results"],
  ["a wrong number", "sorry, I wanted the dentist, I must have the wrong number"],
];

const OUTCOMES = [
  "A technician was booked for tomorrow morning.",
  "The caller asked for the estimate by e-mail and will decide this week.",
  "The office will call back once the part is in stock.",
  "The visit was booked for today between two and four.",
  "The caller found the price too high and did not book.",
] as const;

const EXCHANGES = [
  ["Is this for a house or for a business?", "It's a house, two floors, built in the nineties."],
  ["May I have the address, please?", "Sure, it's on Maple Street, just behind the elementary school."],
  ["Have you been a customer of ours before?", "Yes, somebody came out two years ago for the furnace."],
  ["Do you know how old the unit is?", "I'd say twelve years, it was here when we bought the place."],
  ["Is any water coming through the ceiling?", "No, it's only on the floor so far, I put a bucket there."],
  ["Could you switch it off at the breaker for now?", "Okay, hold on, I'm walking down there. Done."],
  ["We have a slot tomorrow between eight and ten.", "That's early, but I can make it work, yes."],
  ["The visit costs eighty-nine, and it's waived with a repair.", "All right, that sounds fair to me."],
  ["How did you hear about us?", "I searched on my phone and yours was the first number there."],
  ["Is there a gate code or a dog we should know of?", "The code is on the keypad, and the dog is friendly."],
  ["Shall I text you when the technician is on the way?", "Please do, this number is fine."],
  ["Would you like to hear about the maintenance plan?", "Maybe later, let's fix this one first."],
  ["Does it make a noise when it starts?", "A sort of humming, then a click, and then nothing."],
  ["What temperature does the thermostat show?", "Eighty-four, and I have it set to seventy-two."],
  ["When was the filter changed last?", "Honestly, I don't remember. Last summer, perhaps?"],
  ["Can somebody over eighteen be at home?", "My husband works from home, so that is no problem."],
  ["Would you like the estimate by e-mail?", "Yes, please send it to the address you have on file."],
  ["Is the shut-off valve easy to reach?", "It's behind the washing machine, we can move that."],
  ["Do you rent the place or own it?", "We own it, but the warranty company may want a call too."],
] as const;

export function drawConversation(random: Random, durationSeconds: number) {
  const [about, request] = pick(random, TOPICS);
  const caller = pick(random, CALLERS);
  const lineCount = Math.min(LONGEST_LINES, 2 + Math.floor(durationSeconds / SECONDS_PER_LINE));
  const firstExchange = drawIndex(random, EXCHANGES.length);
  const opening = [
    `Thank you for calling Northwind Home Services, this is ${pick(random, AGENTS)}, how can I help you?`,
    `Hi, this is ${caller}, ${request}.`,
  ];
  const lines = Array.from({ length: lineCount }, (_, at): SpokenLine => {
    const exchange = EXCHANGES[(firstExchange + (at >> 1)) % EXCHANGES.length];
    return {
      channel: at % 2 === 0 ? "agent" : "caller",
      time: minutesAndSeconds((durationSeconds * at) / lineCount),
      text: opening[at] ?? exchange?.[at % 2] ?? "",
    };
  });
  return { summary: `${caller} called about ${about}. ${pick(random, OUTCOMES)}`, lines };
}

function minutesAndSeconds(totalSeconds: number): string {
  const minutes = Math.floor(totalSeconds / 60);
  const seconds = Math.floor(totalSeconds % 60);
  return `${String(minutes).padStart(2, "0")}:${String(seconds).padStart(2, "0")}`;
}
