import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contract } from '../../../scripts/conformance/walked-contract.ts'
import { findCatalog } from './skill-catalog.ts'
import { findSkillSearch } from './skill-search.ts'

/**
 * Sixty requests of a builder's users, in their words, each with the skill that performs it. The descriptions in the
 * contract were written so that the first two thirds are found. The last third was scored only afterwards, and shows
 * what to expect of unseen requests: 59 % and 82 % at the time.
 */
interface Task {
  id: string
  request: string
  expect: { skill: string }[]
  alternatives?: { skill: string }[]
}
const file = new URL('../../../test/support/tasks-for-agents.json', import.meta.url)
const tasks = JSON.parse(readFileSync(file, 'utf8')) as Task[]

/** Tasks under a name of their own that an operation performs. */
const BY_OPERATION: Record<string, string> = {
  criticalPath: 'getHomeSchedule',
  createScheduleFromTemplate: 'applyScheduleTemplate',
  routePoApproval: 'explainPurchaseOrderApproval',
  taskReadiness: 'getTaskReadiness',
  vendorScorecard: 'getVendorScorecard',
  vendorWorkload: 'getVendorWorkload',
}

const search = findSkillSearch(contract)
const names = new Set(findCatalog(contract).skills.map(({ name }) => name))
const find = (words: string) => search.find(words, 5, () => true).map(({ name }) => name)

/** Returns the share of the tasks whose skill is found first, and among the first three. */
function score(some: readonly Task[]): { asked: number; first: number; amongThree: number; missed: string[] } {
  const ranks = some.flatMap(({ id, request, expect: expected, alternatives = [] }) => {
    const requested = [...expected, ...alternatives].map(({ skill }) => BY_OPERATION[skill] ?? skill)
    // A task whose skill does not exist yet is skipped until it does. A task that should be rejected or answered with a
    // question has no skill.
    if (!requested.some((skill) => names.has(skill))) return []
    return [{ id, rank: find(request).findIndex((found) => requested.includes(found)) }]
  })
  const within = (max: number) => ranks.filter(({ rank }) => rank >= 0 && rank < max).length / ranks.length
  return {
    ...{ asked: ranks.length, first: within(1), amongThree: within(3) },
    missed: ranks.filter(({ rank }) => rank !== 0).map(({ id }) => id),
  }
}

test('three of four requests find their skill first, and nearly all among the first three', () => {
  const { asked, first, amongThree, missed } = score(tasks.slice(0, 40))
  expect(asked).toBeGreaterThan(20)
  expect(first, `not first: ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.75)
  expect(amongThree, `not first: ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.95)
})

test('most requests for which no description was written find their skill', () => {
  const { asked, first, amongThree } = score(tasks.slice(40))
  expect(asked).toBeGreaterThan(10)
  expect(first).toBeGreaterThanOrEqual(0.5)
  expect(amongThree).toBeGreaterThanOrEqual(0.75)
})

test("a newcomer's requests in words of the trade find their skill among the first three", () => {
  const requested: [string, string][] = [
    ['which bids came in this week', 'listBids'],
    ['ask framers for prices for lot 16 by next friday', 'createBidRequest'],
    ['get prices from vendors for a house', 'requestBidsForHome'],
    ['who has not answered a bid request yet', 'listInvitations'],
    ['remind vendors who have not bid', 'sendBidReminders'],
    ['vendor phoned in a price', 'submitBid'],
    ['duplicate vendors', 'mergeVendors'],
    ['what moves if the task slips', 'simulateDelay'],
    ['weather', 'delayTask'],
    ['pay an invoice', 'createPayment'],
    ['overcommitted budgets', 'detectOverCommittedBudgets'],
    ['visitor at the model home', 'createLead'],
    ['which homes are for sale', 'listHomes'],
    ['log hours', 'addTimeEntry'],
    ['change price of a part', 'addPrice'],
    ['what did the AI do', 'listExecutions'],
    ['find a contractor', 'listVendors'],
    ['undo a payment', 'voidPayment'],
    ['give the job to hill country', 'awardBid'],
  ]
  const missed = requested.filter(([words, skill]) => !find(words).slice(0, 3).includes(skill))
  expect(missed.map(([words]) => [words, find(words)])).toEqual([])
})

test('endings, upper case, and the names of lots and orders do not affect the result', () => {
  const plain = find('compare bids')
  expect(plain[0]).toBe('compareBids')
  expect(find('Comparing the BIDS of lots 15, 16 and 23 for BR-0004')).toEqual(plain)
})

test('only skills for models that the caller may use are found, and stop words find nothing', () => {
  expect(find('create a browser token')).not.toContain('createBrowserToken')
  expect(search.find('award a bid', 50, ({ writes }) => !writes).every(({ writes }) => !writes)).toBe(true)
  expect(find('can you please do it for me')).toEqual([])
  expect(find('')).toEqual([])
})

test('only the beginning of a long text is searched, so that it takes no longer', () => {
  const long = 'zyzzyva '.repeat(125)
  expect(find(`${long.slice(0, 980)} compare bids`)[0]).toBe('compareBids')
  expect(find(`${long} compare bids`)).toEqual([])
})
