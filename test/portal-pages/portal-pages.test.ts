import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { testPortalDevices } from './portal-devices.ts'
import { testPortalFlows } from './portal-flows.ts'
import { testPortalLooks } from './portal-looks.ts'
import { testDoubleTaps } from './portal-taps.ts'
import { buildPortal, type PortalWorld } from './portal-world.ts'

/** Tests the vendor portal as a vendor sees it, in a browser without scripts that can reach only this service. */
export interface Setting {
  plumbline: TestPlumbline
  world: PortalWorld
  chrome: Browser
}

describe.skipIf(chromium === null)('the vendor portal in a browser', () => {
  let setting: Setting
  let mailServer: MailServer
  beforeAll(async () => {
    mailServer = await startMailServer()
    const plumbline = await startTestPlumbline(mailServer.env)
    const [world, chrome] = await Promise.all([buildPortal(plumbline, mailServer), openChromium()])
    setting = { plumbline, world, chrome }
  }, 120_000)
  afterAll(async () => {
    await closeWindows()
    await setting.plumbline.stop()
    await mailServer.stop()
  })

  testPortalLooks(() => setting)
  testPortalDevices(() => setting)
  testPortalFlows(() => setting)
  testDoubleTaps(() => setting)
})
