import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** The usual jobs, which clients offer to people to begin with. */
interface Job {
  readonly prompt: Prompt
  text(of: (argument: string) => string): string
}

const job = (name: string, title: string, given: Record<string, string>, text: Job['text']): Job => ({
  prompt: {
    ...{ name, title, description: `${title}.` },
    arguments: Object.entries(given).map(([argument, description]) => ({
      name: argument,
      description,
      required: true,
    })),
  },
  text,
})

const REQUEST = { bidRequest: 'The bid request: its number, as BR-0004, or its title.' }
const HOME = { home: 'The home, as Lot 15, Juniper Ridge.' }
const COMMUNITY = { community: 'The community, by its name.' }

export const PROMPTS: readonly Job[] = [
  job('level_bids', 'Level the bids of a request', REQUEST, (of) =>
    [
      `Level the bids of ${of('bidRequest')}: run compareBids and levelBids, and say for each vendor what its bid leaves out,`,
      'what was filled in for it, and how the ranking changes. End with what to ask whom before anything is awarded.',
    ].join(' '),
  ),
  job('propose_award', 'Propose whom to award', REQUEST, (of) =>
    [
      `Propose whom to award ${of('bidRequest')}: run recommendAward, check the vendor’s compliance, and run awardBid with`,
      'dryRun and createPurchaseOrder. Show what it would do; award nothing before I say so.',
    ].join(' '),
  ),
  job('chase_bids', 'Chase the bids that are missing', COMMUNITY, (of) =>
    [
      `Which bids are missing in ${of('community')}? Run findBidCoverageGaps, then sendBidReminders with dryRun.`,
      'Show who would be reminded and of what, and wait for me.',
    ].join(' '),
  ),
  job('late_this_week', 'What is late this week', COMMUNITY, (of) =>
    [
      `What is late in ${of('community')}, and why? Run findLateTasks, and lookahead for the coming week. Put first what holds up`,
      'most, name the vendor for each, and say what I should do today.',
    ].join(' '),
  ),
  job('can_it_close', 'What stands between a home and its closing', HOME, (of) =>
    [
      `Can ${of('home')} close? Run closingReadiness and list what is open, who has to do it, and what it blocks,`,
      'in the order in which it has to be done.',
    ].join(' '),
  ),
  job('where_will_it_end', 'What a home will cost in the end', HOME, (of) =>
    [
      `Where will ${of('home')} end up in cost? Run budgetVsActual and forecastCostAtCompletion. Explain the three largest`,
      'differences, and what is not bought yet (findUnboughtScopes).',
    ].join(' '),
  ),
]

/** An argument is a name; a longer text would be a conversation of its own. */
const LONGEST_ARGUMENT = 300

export function getPrompt(name: string, given: Record<string, string>): GetPromptResult {
  const found = PROMPTS.find(({ prompt }) => prompt.name === name)
  if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`)
  const text = found.text((argument) => {
    const value = given[argument]?.trim()
    if (value === undefined || value === '' || value.length > LONGEST_ARGUMENT) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The prompt ${name} needs ${argument}, at most ${LONGEST_ARGUMENT} characters.`,
      )
    }
    return value
  })
  return {
    ...(found.prompt.title !== undefined && { description: found.prompt.title }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}
