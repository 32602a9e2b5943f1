import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** A prompt for a common task. Clients offer it to users as a starting point. */
interface PromptTemplate {
  readonly prompt: Prompt
  text(of: (argument: string) => string): string
}

const definePrompt = (
  name: string,
  title: string,
  provided: Record<string, string>,
  text: PromptTemplate['text'],
): PromptTemplate => ({
  prompt: {
    ...{ name, title, description: `${title}.` },
    arguments: Object.entries(provided).map(([argument, description]) => ({
      name: argument,
      description,
      required: true,
    })),
  },
  text,
})

const REQUEST = { bidRequest: 'Number or title of the bid request, for example BR-0004.' }
const HOME = { home: 'Name of the home, for example Lot 15, Juniper Ridge.' }
const COMMUNITY = { community: 'Name of the community.' }

export const PROMPTS: readonly PromptTemplate[] = [
  definePrompt(
    'level_bids',
    'Level the bids of a bid request',
    REQUEST,
    (of) =>
      `Level the bids of ${of('bidRequest')}: run compareBids and levelBids. For each vendor, list the work that its bid excludes, the amounts filled in, and how the ranking changes. End with the questions to ask each vendor before an award.`,
  ),
  definePrompt(
    'propose_award',
    'Recommend an award',
    REQUEST,
    (of) =>
      `Recommend an award for ${of('bidRequest')}: run recommendAward, check the vendor’s compliance, and run awardBid with dryRun and createPurchaseOrder. Show the result. Do not award anything before I approve.`,
  ),
  definePrompt(
    'chase_bids',
    'Follow up on missing bids',
    COMMUNITY,
    (of) =>
      `Which bids are missing for ${of('community')}? Run findBidCoverageGaps, then sendBidReminders with dryRun. Show which vendors would be reminded of which bids, and wait for my approval.`,
  ),
  definePrompt(
    'late_this_week',
    'List late work this week',
    COMMUNITY,
    (of) =>
      `What is late in ${of('community')}, and why? Run findLateTasks, and lookahead for the coming week. Start with the tasks that delay the most work, name the vendor of each, and recommend what I should do today.`,
  ),
  definePrompt(
    'can_it_close',
    'Check whether a home can close',
    HOME,
    (of) =>
      `Can ${of('home')} close? Run closingReadiness and list each open item, who is responsible, and what it blocks, in the order in which to resolve them.`,
  ),
  definePrompt(
    'where_will_it_end',
    'Forecast the final cost of a home',
    HOME,
    (of) =>
      `What will ${of('home')} cost at completion? Run budgetVsActual and forecastCostAtCompletion. Explain the three largest differences, and list the trades that have not been ordered (findUnboughtScopes).`,
  ),
]

/**
 * The maximum length of an argument, in characters. An argument is a name. A longer text could contain instructions to
 * the model.
 */
const MAX_ARGUMENT_LENGTH = 300

export function getPrompt(name: string, provided: Record<string, string>): GetPromptResult {
  const found = PROMPTS.find(({ prompt }) => prompt.name === name)
  if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt "${name}".`)
  const text = found.text((argument) => {
    const value = provided[argument]?.trim()
    if (value === undefined || value === '' || value.length > MAX_ARGUMENT_LENGTH) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The prompt ${name} requires ${argument}, with at most ${MAX_ARGUMENT_LENGTH} characters.`,
      )
    }
    return value
  })
  return {
    ...(found.prompt.title !== undefined && { description: found.prompt.title }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}
