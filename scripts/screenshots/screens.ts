import type { Locator, Page } from 'playwright-core'
import { AREAS } from './areas.ts'

/** A screen of the admin area. The screenshots and the tests of all screens use it. */
export interface Screen {
  name: string
  /** Returns the path of the screen. `find` returns IDs of the demo builder's records. */
  path(find: FindRecord): string | Promise<string>
  /** A text that is visible when the screen is complete. */
  ready: string
  /** Performs actions on the screen first, such as opening a dialog. */
  act?(page: Page): Promise<void>
}

/** Returns the ID of the first record in a list that satisfies the condition. */
export type FindRecord = (list: string, has?: (record: Record<string, unknown>) => boolean) => Promise<string>

export const SCREENS: readonly Screen[] = [
  { name: 'today', path: () => '/today', ready: '.line-list li' },
  { name: 'bidding', path: () => '/bidding', ready: 'tbody tr th a' },
  { name: 'bidding-comparison', path: findSentRequest, ready: '.compare tbody tr' },
  {
    name: 'bidding-award',
    path: findSentRequest,
    ready: '.compare tbody tr',
    async act(page) {
      await page.getByRole('button', { name: 'Award…' }).first().click()
      await page.getByText('will be made').waitFor()
    },
  },
  {
    name: 'bidding-invitations',
    path: async (find) => `${await findSentRequest(find)}?tab=invitations`,
    ready: 'tbody tr',
  },
  { name: 'bidding-request', path: async (find) => `${await findSentRequest(find)}?tab=request`, ready: '.kv dd a' },
  {
    name: 'bidding-history',
    path: async (find) => `${await findSentRequest(find)}?tab=history`,
    ready: '.timeline li',
  },
  { name: 'bidding-blind', path: findBlindRequest, ready: '.compare thead' },
  {
    name: 'bidding-new',
    async path(find) {
      return `/bidding/new?scope=framing&communityId=${await find('/api/ext/communities?status=active&sort=name')}`
    },
    ready: '.choices li',
  },
  { name: 'vendors', path: () => '/vendors', ready: 'tbody tr th a' },
  {
    name: 'vendors-one',
    path: async (find) => `/vendors/${await find('/api/ext/vendors?q=lone+star')}`,
    ready: '.score b',
  },
  {
    name: 'vendors-notice',
    path: async (find) => `/vendors/${await find('/api/ext/vendors?q=lone+star')}?tab=notices`,
    ready: 'button:text-is("Send notice")',
    async act(page) {
      await page.getByRole('button', { name: 'Send notice' }).click()
      await page.getByLabel('About').waitFor()
    },
  },
  {
    name: 'imports',
    path: () => '/imports?kind=vendor',
    ready: 'input[type="file"]',
  },
  {
    name: 'imports-preview',
    path: () => '/imports?kind=vendor',
    ready: 'input[type="file"]',
    async act(page) {
      const lines = [
        'Vendor;Trades;E-mail;Limit',
        'Comal Framing;framing;office@comal.example.com;1.500',
        'Gruene Tile;tile;n/a;2.250',
      ]
      const file = { name: 'vendors.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) }
      await page.getByLabel('File', { exact: true }).setInputFiles(file)
      await page.getByText('decimal point or a decimal comma').waitFor()
      await page.getByRole('button', { name: 'Preview 2 rows' }).click()
      await page.getByRole('table', { name: 'Rows with errors' }).waitFor()
    },
  },
  { name: 'actions', path: () => '/actions', ready: '.action-list li' },
  { name: 'actions-home', path: () => '/actions/createHome', ready: 'form .field' },
  {
    name: 'actions-takeoff',
    path: async (find) => `/actions/replaceTakeoff?planId=${await find('/api/ext/plans?status=released')}`,
    ready: '.grid input[role="combobox"]',
  },
  {
    name: 'actions-report',
    path: () => '/actions/wipReport',
    ready: 'form .field',
    async act(page) {
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('heading', { name: 'Result' }).waitFor()
    },
  },
  { name: 'sign-in', path: () => '/sign-in', ready: 'form' },
  { name: 'sign-in-link', path: () => '/sign-in#token=abc', ready: '.card .btn' },
  { name: 'settings-keys', path: () => '/settings/keys', ready: 'tbody th a' },
  {
    name: 'settings-key-new',
    path: () => '/settings/keys',
    ready: 'tbody th a',
    async act(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('radio', { name: 'Voice agent' }).check({ force: true })
    },
  },
  {
    name: 'settings-key-secret',
    path: () => '/settings/keys',
    ready: 'tbody th a',
    async act(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Voice agent, warranty line')
      await page.getByRole('radio', { name: 'Voice agent' }).check({ force: true })
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('This secret is shown only once').waitFor()
    },
  },
  {
    name: 'settings-key',
    path: async (find) => `/settings/keys/${await find('/api/admin/keys')}`,
    ready: '.matrix td',
  },
  {
    name: 'settings-webhook-new',
    path: () => '/settings/webhooks',
    ready: '.state',
    async act(page) {
      await page.getByRole('button', { name: 'New webhook' }).first().click()
      await page.getByText('vendor.created').waitFor()
    },
  },
  { name: 'settings-people', path: () => '/settings/people', ready: 'tbody tr th .lead' },
  {
    name: 'settings-people-invite',
    path: () => '/settings/people',
    ready: 'tbody tr th .lead',
    async act(page) {
      await page.getByRole('button', { name: /^(Invite|Add user)$/ }).click()
      await page.getByText('Reads everything').waitFor()
    },
  },
  { name: 'settings-roles', path: () => '/settings/people/roles', ready: '.table.roles td' },
  { name: 'settings-organization', path: () => '/settings/organization', ready: '.numbered li' },
  { name: 'settings-events', path: () => '/settings/events', ready: 'tbody tr th a' },
  {
    name: 'settings-event',
    path: async (find) => `/settings/events/${await find('/api/ext/events?sort=-sequence')}`,
    ready: '.code',
  },
  { name: 'settings-runs', path: () => '/settings/runs', ready: 'tbody tr th a, .state', act: showRuns },
  {
    name: 'settings-run',
    path: () => '/settings/runs',
    ready: 'tbody tr th a, .state',
    async act(page) {
      await showRuns(page)
      await newestRun(page).click()
      await page.locator('.table.values').waitFor()
    },
  },
  { name: 'settings-audit', path: () => '/settings/audit', ready: 'tbody tr th a' },
  { name: 'settings-usage', path: () => '/settings/usage', ready: '.chart.days' },
  { name: 'settings-apps', path: () => '/settings/apps', ready: '.state' },
  { name: 'settings-passkeys', path: () => '/settings/passkeys', ready: '.state' },
  { name: 'settings-sessions', path: () => '/settings/sessions', ready: 'tbody tr .btn' },
  ...AREAS,
  {
    name: 'calls',
    path: () => '/bidding',
    ready: 'tbody tr th a',
    act: (page) => page.getByRole('button', { name: 'View as API call' }).click(),
  },
  {
    name: 'palette',
    path: () => '/bidding',
    ready: 'tbody tr th a',
    async act(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('lot 15')
      await page
        .getByRole('option', { name: /Lot 15/ })
        .first()
        .waitFor()
    },
  },
]

export const WIDTHS = [1440, 390] as const

/** Returns a function that finds records over HTTP with a session cookie. */
export function createRecordFinder(url: string, cookie: string): FindRecord {
  return async (list, has = () => true) => {
    const answer = await fetch(`${url}${list}`, { headers: { cookie } })
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] }
    const record = data.find(has)
    if (record === undefined) throw new Error(`Nothing of ${list} has what the screen shows.`)
    return String(record.id)
  }
}

/**
 * Runs skills with the page's own session, as an agent would, because the demo builder has no agent. The service writes
 * the execution records a few seconds later. Then loads the list again, which would show them only after 20 seconds.
 */
async function showRuns(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const run = (skill: string, input: object) =>
      fetch('/api/ext/execute', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ skill, input, dryRun: true }),
      })
    await run('createVendor', { companyName: 'Comal Framing', scopes: ['framing'], status: 'prospective' })
    await run('changeVendorStatus', {
      ...{ vendorId: 'Lone Star Framing LLC', status: 'on_hold', reason: 'The insurance ends in three weeks.' },
    })
    const isWritten = async () => {
      const response = await fetch('/api/ext/executions?skill=changeVendorStatus&limit=1')
      const { data } = (await response.json()) as { data: object[] }
      return data.length > 0
    }
    for (let attempt = 0; attempt < 100 && !(await isWritten()); attempt++)
      await new Promise((next) => setTimeout(next, 100))
  })
  await page.reload()
  await newestRun(page).waitFor()
}

/** Finds the last execution of `showRuns`. Other screens may have run skills before. */
function newestRun(page: Page): Locator {
  return page.locator('tbody tr th a', { hasText: /change a vendor/i }).first()
}

async function findSentRequest(find: FindRecord): Promise<string> {
  const id = await find(
    '/api/ext/bids/requests?status=sent',
    ({ bidCount, blind }) => Number(bidCount) > 1 && blind === false,
  )
  return `/bidding/${id}`
}

async function findBlindRequest(find: FindRecord): Promise<string> {
  return `/bidding/${await find('/api/ext/bids/requests?status=sent', ({ blind }) => blind === true)}`
}
