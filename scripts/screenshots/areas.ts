import type { Page } from 'playwright-core'
import type { FindRecord, Screen } from './screens.ts'

/** The screens for homes, orders, payments, and sales. */
export const AREAS: readonly Screen[] = [
  { name: 'homes', path: () => '/homes', ready: 'tbody tr th a' },
  { name: 'home-new', path: () => '/homes/new', ready: 'form select' },
  {
    name: 'home-estimate',
    path: async (find) => `/homes/${await find('/api/ext/homes?status=planning', ({ planId }) => planId !== null)}`,
    ready: 'button:text-is("Estimate from plan")',
    async act(page) {
      await page.getByRole('button', { name: 'Estimate from plan' }).click()
      await page.getByText('Lines with a price').waitFor()
    },
  },
  { name: 'communities', path: () => '/communities', ready: 'tbody tr th a' },
  {
    name: 'community',
    path: async (find) => `/communities/${await find('/api/ext/communities?status=active')}?tab=figures`,
    ready: '.chart',
  },
  { name: 'home-budget', path: async (find) => `/homes/${await findHomeInProgress(find)}`, ready: '.bar-svg' },
  {
    name: 'home-budget-trade',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?trade=framing`,
    ready: '.dialog tbody tr th a',
  },
  {
    name: 'community-calendar',
    path: async (find) => `/communities/${await find('/api/ext/communities?status=active')}?tab=calendar`,
    ready: '.kv',
  },
  {
    name: 'community-calendar-edit',
    path: async (find) => `/communities/${await find('/api/ext/communities?status=active')}?tab=calendar`,
    ready: '.kv',
    async act(page) {
      await page.getByRole('button', { name: 'Edit workdays and holidays' }).click()
      await page.getByRole('checkbox', { name: 'Friday' }).uncheck()
      await page.getByText('nothing is saved yet').waitFor()
    },
  },
  {
    name: 'community-edit',
    path: async (find) => `/communities/${await find('/api/ext/communities?status=active')}`,
    ready: 'tbody tr th a',
    async act(page) {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByLabel('Time zone').waitFor()
    },
  },
  {
    name: 'community-status',
    path: async (find) => `/communities/${await find('/api/ext/communities?status=active')}`,
    ready: 'tbody tr th a',
    async act(page) {
      await page.getByRole('button', { name: 'Change status' }).click()
      await page.getByText('No more homes can be added.').waitFor()
    },
  },
  {
    name: 'home-schedule',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=schedule`,
    ready: '.gantt',
  },
  { name: 'home-task', path: findUpcomingTask, ready: 'button:text-is("Delay task")' },
  {
    name: 'home-delay',
    path: findUpcomingTask,
    ready: 'button:text-is("Delay task")',
    async act(page) {
      await page.getByRole('button', { name: 'Delay task', exact: true }).click()
      await page.getByLabel('Workdays').fill('3')
      await page.locator('.g-ghost').first().waitFor()
    },
  },
  {
    name: 'home-transfer',
    path: async (find) => `/homes/${await findHomeInProgress(find)}`,
    ready: '.bar-svg',
    async act(page) {
      await page.getByRole('button', { name: 'Transfer' }).click()
      await page.getByLabel('From').waitFor()
    },
  },
  {
    name: 'home-orders',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=orders`,
    ready: 'tbody tr th a',
  },
  {
    name: 'home-selections',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=selections`,
    ready: 'tbody tr th, .state',
  },
  {
    name: 'home-option',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=selections`,
    ready: 'button:has-text("Choose")',
    async act(page) {
      await page
        .getByRole('button', { name: /^Choose / })
        .first()
        .click()
      await page.getByLabel('Quantity').waitFor()
    },
  },
  {
    name: 'home-payments',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=payments`,
    ready: 'tbody tr th, .state',
  },
  {
    name: 'home-history',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=history`,
    ready: '.timeline',
  },
  {
    name: 'home-inspections',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=inspections`,
    ready: 'button:text-is("Add permit")',
  },
  {
    name: 'home-punch',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=punch`,
    ready: 'button:text-is("Add walkthrough")',
  },
  {
    name: 'home-logs',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=logs`,
    ready: 'button:text-is("Add log")',
  },
  {
    name: 'home-photos',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=photos`,
    ready: '.photos, .state',
  },
  {
    name: 'home-drawings',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=drawings`,
    ready: 'tbody tr, .state',
  },
  {
    name: 'home-owners',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=owners`,
    ready: 'button:text-is("Add owner")',
  },
  { name: 'warranty', path: () => '/warranty', ready: 'button:text-is("Decide")' },
  {
    name: 'warranty-decision',
    path: () => '/warranty',
    ready: 'button:text-is("Decide")',
    async act(page) {
      await page
        .getByRole('button', { name: /^Decide/ })
        .first()
        .click()
      await page.getByLabel('Decision', { exact: true }).waitFor()
    },
  },
  { name: 'warranty-visits', path: () => '/warranty/visits', ready: 'tbody tr' },
  { name: 'warranty-terms', path: () => '/warranty/terms', ready: 'button:text-is("Edit")' },
  { name: 'orders', path: () => '/orders', ready: 'tbody tr th a' },
  { name: 'order-approvals', path: () => '/orders/approvals', ready: '.split .bar-svg' },
  { name: 'order-issue-several', path: () => '/orders/issue', ready: '.line-list li, .state' },
  {
    name: 'order-one',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=partially_completed')}`,
    ready: '.steps',
  },
  {
    name: 'order-issue',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=approved')}`,
    ready: '.steps',
    async act(page) {
      await page.getByRole('button', { name: 'Issue', exact: true }).click()
      await page.getByText('will be made').waitFor()
    },
  },
  {
    name: 'order-progress',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=partially_completed')}`,
    ready: '.steps',
    act: (page) => page.getByRole('button', { name: 'Record progress' }).click(),
  },
  {
    name: 'order-new',
    path: async (find) => `/orders/new?homeId=${await findHomeInProgress(find)}&scope=framing`,
    ready: '.line-row',
  },
  {
    name: 'order-edit',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=draft')}/edit`,
    ready: '.line-row',
  },
  {
    name: 'order-change',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=issued')}/new/change`,
    ready: '.line-row',
  },
  {
    name: 'order-variance',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=accepted')}/new/variance`,
    ready: '.effect-box',
    act: (page) => page.getByLabel('Unit price').fill('1,250'),
  },
  {
    name: 'order-backcharge',
    path: async (find) => `/orders/${await find('/api/ext/purchase-orders?status=completed')}/new/backcharge`,
    ready: '.line-row',
  },
  {
    name: 'order-with-changes',
    path: async (find) => `/orders/${await findParentOrder(find)}`,
    ready: '.steps',
  },
  { name: 'payable', path: () => '/payments?through=2026-12-31', ready: '.table.cards tbody th a' },
  { name: 'payments', path: () => '/payments/all', ready: 'tbody tr th a' },
  {
    name: 'payment-one',
    path: async (find) => `/payments/${await find('/api/ext/payments?status=paid')}`,
    ready: '.timeline',
  },
  { name: 'bills', path: () => '/payments/bills', ready: 'tbody tr th a' },
  { name: 'bill-new', path: () => '/payments/bills/new', ready: 'input[type="file"]' },
  {
    name: 'bill-one',
    path: async (find) => `/payments/bills/${await find('/api/ext/bills')}`,
    ready: '.timeline',
  },
  { name: 'payment-runs', path: () => '/payments/runs', ready: 'tbody tr th a, .state' },
  { name: 'waivers', path: () => '/payments/waivers', ready: 'tbody tr th a' },
  { name: 'accounting-queue', path: () => '/accounting', ready: 'tbody tr th .lead, .state' },
  { name: 'accounting-reconciliation', path: () => '/accounting/reconciliation', ready: 'input[type="file"]' },
  { name: 'accounting-ledger', path: () => '/accounting/ledger', ready: 'tbody tr th a' },
  { name: 'accounting-balances', path: () => '/accounting/ledger?groupBy=home', ready: 'tbody tr th a' },
  { name: 'accounting-postings', path: () => '/accounting/ledger/postings?measure=cost', ready: 'tbody tr th' },
  { name: 'accounting-journals', path: () => '/accounting/journals', ready: 'tbody tr th a, .state' },
  { name: 'accounting-journal-new', path: () => '/accounting/journals/new', ready: '.bill-line' },
  { name: 'accounting-transfer', path: () => '/accounting/journals/new?kind=transfer', ready: 'input[name="amount"]' },
  { name: 'accounting-periods', path: () => '/accounting/periods', ready: '.state, tbody tr th' },
  { name: 'accounting-1099', path: () => '/accounting/form-1099?year=2026', ready: 'tbody tr th a, .state' },
  { name: 'accounting-export', path: () => '/accounting/export', ready: 'button:text-is("Export postings")' },
  {
    name: 'home-costs',
    path: async (find) => `/homes/${await findHomeInProgress(find)}?tab=costs`,
    ready: 'tbody tr th, .state',
  },
  { name: 'time-own', path: () => '/time', ready: '.state, tbody tr th' },
  { name: 'time-weeks', path: () => '/time/week', ready: '.state, tbody tr th a' },
  { name: 'time-approval', path: () => '/time/approval', ready: '.state, tbody tr th a' },
  { name: 'time-payroll', path: () => '/time/payroll', ready: '.state, tbody tr th a' },
  {
    name: 'time-one',
    path: async (find) => `/time/${await find('/api/ext/timesheets')}`,
    ready: 'tbody tr th',
  },
  { name: 'messages', path: () => '/messages', ready: '.state, tbody tr th a' },
  { name: 'messages-new', path: () => '/messages/new', ready: 'textarea' },
  { name: 'messages-emails', path: () => '/messages/emails', ready: '.state, tbody tr th' },
  { name: 'messages-templates', path: () => '/messages/templates', ready: 'tbody tr th a' },
  {
    name: 'messages-template',
    path: async (find) => `/messages/templates/${await find('/api/ext/message-templates')}`,
    ready: 'textarea',
  },
  {
    name: 'sales-lead-new',
    path: () => '/sales',
    ready: '.board',
    async act(page) {
      await page.getByRole('button', { name: 'New lead' }).click()
      await page.getByLabel('First name').waitFor()
    },
  },
  {
    name: 'sales-new',
    path: () => '/sales/all',
    ready: 'tbody tr th a',
    async act(page) {
      await page.getByRole('button', { name: 'New sale' }).click()
      await page.getByLabel('Buyer', { exact: true }).waitFor()
    },
  },
  { name: 'schedule-ahead', path: () => '/schedule', ready: 'tbody th a' },
  {
    name: 'schedule-complete',
    path: () => '/schedule',
    ready: 'tbody th a',
    async act(page) {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Complete…' }).click()
    },
  },
  { name: 'schedule-vendors', path: () => '/schedule?week=vendors', ready: 'tbody th a' },
  { name: 'sales-leads', path: () => '/sales', ready: '.lead-card' },
  {
    name: 'sales-lead',
    path: async (find) => `/sales/leads/${await find('/api/ext/leads?status=proposal')}`,
    ready: '.timeline',
  },
  { name: 'sales-all', path: () => '/sales/all', ready: 'tbody tr th a' },
  {
    name: 'sales-one',
    path: async (find) => `/sales/${await find('/api/ext/sales?status=approved')}`,
    ready: '.steps',
  },
  { name: 'catalogue-plans', path: () => '/catalogue', ready: 'tbody tr th a' },
  {
    name: 'catalogue-plan-new',
    path: () => '/catalogue',
    ready: 'tbody tr th a',
    act: (page) => page.getByRole('button', { name: 'New plan' }).click(),
  },
  {
    name: 'catalogue-plan',
    path: async (find) => `/catalogue/plans/${await find('/api/ext/plans?status=released')}`,
    ready: 'tbody th a',
  },
  {
    name: 'catalogue-plan-revision',
    path: async (find) => `/catalogue/plans/${await find('/api/ext/plans?status=released')}`,
    ready: 'tbody th a',
    async act(page) {
      await page.getByRole('button', { name: 'Show revision 1' }).click()
      await page.getByRole('dialog').getByRole('table').first().waitFor()
    },
  },
  {
    name: 'catalogue-elevation',
    path: async (find) => `/catalogue/plans/${await find('/api/ext/plans?status=released')}`,
    ready: 'tbody th a',
    async act(page) {
      await page.getByRole('button', { name: 'Add elevation' }).click()
      await page.getByRole('button', { name: 'Add figure' }).click()
      await page.getByRole('group', { name: 'Figure 1' }).waitFor()
    },
  },
  {
    name: 'catalogue-takeoff',
    path: async (find) => `/catalogue/plans/${await find('/api/ext/plans?status=released')}/takeoff`,
    ready: '.table.sheet tbody tr',
  },
  { name: 'catalogue-options', path: () => '/catalogue/options', ready: 'tbody tr th a' },
  {
    name: 'catalogue-option',
    path: async (find) => `/catalogue/options/${await find('/api/ext/options?status=active&q=cabinet')}`,
    ready: 'tbody th a, .panel p',
  },
  {
    name: 'catalogue-option-edit',
    path: async (find) => `/catalogue/options/${await find('/api/ext/options?status=active&q=cabinet')}`,
    ready: 'tbody th a, .panel p',
    act: (page) => page.getByRole('button', { name: 'Edit', exact: true }).click(),
  },
  {
    name: 'catalogue-option-rules',
    path: async (find) => `/catalogue/options/${await find('/api/ext/options?status=active&q=cabinet')}`,
    ready: 'tbody th a, .panel p',
    act: (page) => page.getByRole('button', { name: 'Edit rules' }).click(),
  },
  {
    name: 'catalogue-option-takeoff',
    path: async (find) => `/catalogue/options/${await find('/api/ext/options?status=active&q=cabinet')}/takeoff`,
    ready: '.table.sheet tbody tr',
  },
  { name: 'catalogue-parts', path: () => '/catalogue/parts', ready: 'tbody tr th a' },
  {
    name: 'catalogue-part',
    path: async (find) => `/catalogue/parts/${await find('/api/ext/parts')}`,
    ready: 'tbody th a, .panel p',
  },
  {
    name: 'catalogue-price-add',
    path: async (find) => `/catalogue/parts/${await find('/api/ext/parts')}`,
    ready: 'tbody th a, .panel p',
    act: (page) => page.getByRole('button', { name: 'Add price' }).click(),
  },
  {
    name: 'catalogue-prices-change',
    path: () => '/catalogue/parts/change-prices',
    ready: 'form input[role="combobox"]',
    async act(page) {
      await page.getByLabel(/^Vendor/).fill('a')
      await page.getByRole('option').first().click()
      await page.getByLabel('Change in percent').fill('4.5')
      await page.getByRole('button', { name: 'Preview new prices' }).click()
      await page.getByRole('region', { name: 'New prices' }).waitFor()
    },
  },
  { name: 'catalogue-contracts', path: () => '/catalogue/contracts', ready: 'tbody tr th a' },
  {
    name: 'catalogue-contract',
    path: async (find) =>
      `/catalogue/contracts/${await find('/api/ext/contracts?status=active&contractType=unit_price')}`,
    ready: '.panel tbody tr',
  },
  {
    name: 'catalogue-contract-activate',
    path: async (find) => `/catalogue/contracts/${await find('/api/ext/contracts?status=draft')}`,
    ready: '.panel tbody tr',
    async act(page) {
      await page.getByRole('button', { name: 'Activate', exact: true }).click()
      await page.getByText('will be made').waitFor()
    },
  },
  {
    name: 'catalogue-contract-edit',
    path: async (find) => `/catalogue/contracts/${await find('/api/ext/contracts?status=draft')}/edit`,
    ready: '.table.sheet tbody tr',
  },
  {
    name: 'catalogue-contract-turnkey',
    path: async (find) => `/catalogue/contracts/${await find('/api/ext/contracts?contractType=turnkey')}`,
    ready: '.panel tbody tr',
  },
  {
    name: 'catalogue-contract-new',
    path: () => '/catalogue/contracts/new',
    ready: '.table.sheet tbody tr',
    async act(page) {
      await page.getByLabel('Prices for', { exact: true }).selectOption('turnkey')
      await page.getByRole('region', { name: 'Lump sums of the contract' }).waitFor()
    },
  },
  {
    name: 'catalogue-contract-reprice',
    path: async (find) => `/catalogue/contracts/${await find('/api/ext/contracts?status=active')}/reprice`,
    ready: 'input[type="date"]',
    async act(page) {
      await page.getByRole('button', { name: 'Preview new totals' }).click()
      await page.getByRole('region', { name: 'Drafts with new prices' }).waitFor()
    },
  },
  { name: 'catalogue-cost-codes', path: () => '/catalogue/cost-codes', ready: 'tbody tr th' },
  { name: 'catalogue-trades', path: () => '/catalogue/trades', ready: 'tbody tr th' },
  {
    name: 'catalogue-trade-edit',
    path: () => '/catalogue/trades',
    ready: 'tbody tr th',
    async act(page) {
      await page.getByRole('button', { name: 'Edit', exact: false }).first().click()
      await page.getByLabel('Position').waitFor()
    },
  },
  { name: 'catalogue-templates', path: () => '/catalogue/task-templates', ready: 'tbody tr th a' },
  { name: 'catalogue-template', path: findTemplate, ready: 'tbody tr th' },
  {
    name: 'catalogue-template-network',
    path: async (find) => `${await findTemplate(find)}?tab=network&row=row-4`,
    ready: '.gantt',
  },
  {
    name: 'catalogue-template-edit',
    path: async (find) => `${await findTemplate(find)}/edit`,
    ready: '.table.sheet tbody tr',
  },
  {
    name: 'catalogue-template-row',
    path: async (find) => `${await findTemplate(find)}/edit`,
    ready: '.table.sheet tbody tr',
    async act(page) {
      await page.locator('.table.sheet tbody tr').nth(7).getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Checklist').waitFor()
    },
  },
  {
    name: 'agents-proposals',
    path: () => '/agents/proposals',
    ready: '.tabs',
    async act(page) {
      await createProposal(page)
      await page.reload()
      await page.locator('tbody tr th a').first().waitFor()
    },
  },
  {
    name: 'agents-proposal',
    path: () => '/agents/proposals',
    ready: '.tabs',
    async act(page) {
      await createProposal(page)
      await page.reload()
      await page.locator('tbody tr th a').first().click()
      await page.locator('.changes').waitFor()
    },
  },
]

/** Finds a home with a schedule, orders, and payments. */
const findHomeInProgress = (find: FindRecord) =>
  find('/api/ext/homes?status=under_construction&sort=name', (home) => home.percentComplete !== 0)

/** Returns the path of the schedule of such a home, with the first task that has not started selected. */
async function findUpcomingTask(find: FindRecord): Promise<string> {
  const home = await findHomeInProgress(find)
  const task = await find(`/api/ext/tasks?homeId=${home}&sort=plannedStart&status=not_started`)
  return `/homes/${home}?tab=schedule&task=${task}`
}

/** Returns the ID of an order that another order changes or follows. */
async function findParentOrder(find: FindRecord): Promise<string> {
  let parentId = ''
  await find('/api/ext/purchase-orders?limit=200', ({ parentPoId }) => {
    if (typeof parentPoId === 'string') parentId = parentPoId
    return parentId !== ''
  })
  return parentId
}

/** Creates a proposal with the page's own session, as an agent would. The demo builder has no agent. */
async function createProposal(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const found = await fetch('/api/ext/vendors?q=hill+country&limit=1')
    const { data } = (await found.json()) as { data: { id: string }[] }
    const vendorId = data[0]?.id
    const proposal = {
      skill: 'changeVendorStatus',
      input: { vendorId, status: 'on_hold', reason: 'The liability insurance ends in three weeks.' },
      note: 'The office of the vendor said on the phone that the new certificate comes in January.',
    }
    await fetch('/api/ext/proposals', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(proposal),
    })
  })
}

async function findTemplate(find: FindRecord): Promise<string> {
  return `/catalogue/task-templates/${await find('/api/ext/task-templates')}`
}
