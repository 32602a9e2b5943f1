import type { Page } from 'playwright-core'
import type { FindRecord } from './screens.ts'

/** A screen of a page that is used on phones, with the demo builder's data. */
export interface PhoneScreen {
  name: string
  path(find: FindRecord): string | Promise<string>
  ready: string
  act?(page: Page): Promise<void>
}

/** The demo's superintendents of Juniper Ridge and Cedar Hollow. */
export const SUPERINTENDENTS = ['marcus@harrowfinch.example.com', 'lena@harrowfinch.example.com'] as const

const findHome = (find: FindRecord, line1: string) =>
  find('/api/ext/homes?limit=200', ({ address }) => (address as { line1?: string } | null)?.line1 === line1)
const LOT_14 = '2227 Juniper Ridge Dr'

/** Screens of the superintendent of Juniper Ridge. */
export const FIELD_SCREENS: readonly PhoneScreen[] = [
  { name: 'field-day', path: () => '/field/#/', ready: '.block' },
  { name: 'field-homes', path: () => '/field/#/homes', ready: '.links li' },
  { name: 'field-home', path: async (find) => `/field/#/home/${await findHome(find, LOT_14)}`, ready: '.photos img' },
  { name: 'field-log', path: async (find) => `/field/#/log/${await findHome(find, LOT_14)}`, ready: 'form' },
  { name: 'field-punch', path: async (find) => `/field/#/punch/${await findHome(find, LOT_14)}`, ready: '.choices' },
  {
    name: 'field-drawings',
    path: async (find) => `/field/#/drawings/${await findHome(find, LOT_14)}`,
    ready: '.links li',
  },
  {
    name: 'field-mark',
    async path(find) {
      const homeId = await findHome(find, LOT_14)
      return `/field/#/mark/${homeId}/${await find(`/api/ext/attachments?homeId=${homeId}&kind=photo`)}`
    },
    ready: '.pad-canvas',
    async act(page) {
      await drawOn(page, 'Arrow', [0.2, 0.3], [0.6, 0.6])
      await drawOn(page, 'Pin', [0.7, 0.3], [0.75, 0.35])
    },
  },
  { name: 'field-clock', path: () => '/field/#/clock', ready: 'main' },
  { name: 'field-outbox', path: () => '/field/#/outbox', ready: 'main' },
]

/** Screens of the superintendent of Cedar Hollow, whose home has a final walkthrough. */
export const WALK_SCREENS: readonly PhoneScreen[] = [
  {
    name: 'field-sign',
    path: async (find) => `/field/#/sign/${await find('/api/ext/walkthroughs?kind=final')}`,
    ready: '.pad-canvas',
    async act(page) {
      await page.getByLabel('Name of the signer').fill('Dana Whitfield')
      await drawOn(page, null, [0.15, 0.7], [0.8, 0.3])
    },
  },
]

/** Parts of an owner's page, below the link of an owner. */
export const OWNER_SCREENS: readonly { name: string; home: string; path: string }[] = [
  { name: 'owner-built', home: '2227 Juniper Ridge Dr', path: '' },
  { name: 'owner-choices', home: '2259 Juniper Ridge Dr', path: '' },
  { name: 'owner-closed', home: '118 Hollow Oak Ln', path: '' },
  { name: 'owner-report', home: '118 Hollow Oak Ln', path: '/report' },
  { name: 'owner-write', home: '142 Hollow Oak Ln', path: '/write' },
]

type Place = readonly [x: number, y: number]

/** Draws a line on the picture of the page. The positions are fractions of its width and height. */
async function drawOn(page: Page, tool: string | null, from: Place, to: Place): Promise<void> {
  if (tool !== null) await page.getByText(tool, { exact: true }).click()
  const canvas = page.locator('.pad-canvas')
  await canvas.scrollIntoViewIfNeeded()
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('Expected a picture to draw on.')
  await page.mouse.move(box.x + from[0] * box.width, box.y + from[1] * box.height)
  await page.mouse.down()
  await page.mouse.move(box.x + to[0] * box.width, box.y + to[1] * box.height, { steps: 8 })
  await page.mouse.up()
}
