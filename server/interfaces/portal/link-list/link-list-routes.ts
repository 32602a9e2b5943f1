import express, { type Request, type Response, type Router } from 'express'
import type { Services } from '../../../platform/calls/call.ts'
import { getClientAddress } from '../../../platform/calls/client-address.ts'
import { isHttps, readCookie, toHostCookieName } from '../../../platform/calls/host-cookie.ts'
import { notFound, problem } from '../../../platform/problems/problem.ts'
import { renderConfirmPage, renderLinkListPage, renderLinkRequestPage } from '../pages/link-list-page.ts'
import { createPageReader, redirect, sendPage } from '../responses/page-responses.ts'
import { consumeLinkListToken, readLinkListCookie, readLinkListToken, toLinkListCookie } from './link-list-tokens.ts'
import { listVendorLinks, openVendorLink } from './vendor-links.ts'

const COOKIE = 'portal_links'
const PAGE = '/portal/links'
const MAX_FORM_BYTES = 4 * 1024
const MAX_EMAIL = 254
const EMAIL = /^[^\s@]+@[^\s@]+$/

/**
 * Adds the pages on which a vendor gets its links again. The vendor requests an email, opens the one-time link in it,
 * and sees its links with every builder of the deployment. The response is the same for every email address, so it does
 * not reveal which addresses are known.
 */
export function addLinkListRoutes(
  routes: Router,
  services: Services,
  refuse: (req: Request, res: Response, error: unknown) => Promise<void>,
): void {
  const { publicUrl } = services.config
  const cookieName = toHostCookieName(COOKIE, publicUrl)
  const cookieOptions = {
    ...({ path: '/', httpOnly: true, sameSite: 'lax' } as const),
    secure: isHttps(publicUrl),
  }
  const handle = (work: (req: Request, res: Response) => Promise<void>) => async (req: Request, res: Response) => {
    try {
      await services.limits.takeVisit(getClientAddress(req))
      if (services.config.mail === null) throw notFound()
      await work(req, res)
    } catch (error) {
      await refuse(req, res, error)
    }
  }
  const readEmail = (req: Request) => readLinkListCookie(services, readCookie(req.headers.cookie, cookieName))
  const getReader = (req: Request) => createPageReader(services, req, null, services.clock.now())

  const showList = handle(async (req, res) => {
    const email = readEmail(req)
    const reader = getReader(req)
    if (email === null || req.query.done === 'sent' || req.query.done === 'used')
      return sendPage(req, res, 200, renderLinkRequestPage(reader, req.query.done))
    await sendPage(req, res, 200, renderLinkListPage(reader, email, await listVendorLinks(services, email)))
  })
  const postList = handle(async (req, res) => {
    const fields = (req.body ?? {}) as Record<string, unknown>
    if (fields.do === 'forget') {
      res.clearCookie(cookieName, cookieOptions)
      return redirect(req, res, PAGE)
    }
    if (fields.do === 'open') {
      const email = readEmail(req)
      const url = email === null ? null : await openVendorLink(services, email, fields.link)
      return redirect(req, res, url === null ? PAGE : new URL(url).pathname)
    }
    const email = typeof fields.email === 'string' ? fields.email.trim() : ''
    if (email.length > MAX_EMAIL || !EMAIL.test(email)) return redirect(req, res, `${PAGE}?done=wrong`)
    services.linkListRequests.add(email)
    redirect(req, res, `${PAGE}?done=sent`)
  })
  const showConfirmation = handle(async (req, res) => {
    const token = String(req.params.linkToken)
    if (readLinkListToken(services, token) === null) return redirect(req, res, `${PAGE}?done=used`)
    await sendPage(req, res, 200, renderConfirmPage(getReader(req)))
  })
  const confirm = handle(async (req, res) => {
    const content = await consumeLinkListToken(services, String(req.params.linkToken))
    if (content === null) return redirect(req, res, readEmail(req) === null ? `${PAGE}?done=used` : PAGE)
    res.cookie(cookieName, toLinkListCookie(services, content.email), cookieOptions)
    redirect(req, res, PAGE)
  })

  const parse = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES })
  routes.get('/portal', (_req, res) => res.redirect(303, PAGE))
  routes.get(PAGE, showList)
  routes.post(PAGE, parse, postList)
  routes.get(`${PAGE}/:linkToken`, showConfirmation)
  routes.post(`${PAGE}/:linkToken`, parse, confirm)
  routes.all([`${PAGE}/*rest`, `${PAGE}/:linkToken/*rest`], (req, res) =>
    refuse(req, res, problem('not_found', 'Page not found.')),
  )
}
