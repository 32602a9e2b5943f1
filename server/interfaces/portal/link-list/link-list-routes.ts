import express, { type Request, type Response, type Router } from 'express'
import type { Services } from '../../../platform/calls/call.ts'
import { getClientAddress } from '../../../platform/calls/client-address.ts'
import { isHttps, readCookie, toHostCookieName } from '../../../platform/calls/host-cookie.ts'
import { notFound, problem } from '../../../platform/problems/problem.ts'
import { renderConfirmPage, renderLinkListPage, renderLinkRequestPage } from '../pages/link-list-page.ts'
import { LANGUAGES } from '../pages/words/page-locale.ts'
import { createPageReader, redirect, sendPage, storeLanguage } from '../responses/page-responses.ts'
import { consumeLinkListToken, readLinkListCookie, readLinkListToken, toLinkListCookie } from './link-list-tokens.ts'
import { listVendorLinks, openVendorLink, type VendorLink } from './vendor-links.ts'

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
  // If the visitor has not chosen a language in this browser, a page for a known vendor is in the vendor's language.
  const createReader = (req: Request, links: readonly VendorLink[]) => {
    const declared = links.find(({ language }) => language !== null)?.language ?? null
    return createPageReader(services, req, declared, services.clock.now())
  }
  /** Stores the language that the visitor chose on the page. Returns false if the visitor chose none. */
  const switchLanguage = (req: Request, res: Response) => {
    const chosen = LANGUAGES.find((language) => language === req.query.language)
    if (chosen !== undefined) storeLanguage(services, req, res, chosen)
    return chosen !== undefined
  }

  const showList = handle(async (req, res) => {
    if (switchLanguage(req, res)) return
    const email = readEmail(req)
    if (email === null || req.query.done === 'sent' || req.query.done === 'used')
      return sendPage(req, res, 200, renderLinkRequestPage(createReader(req, []), req.query.done))
    const links = await listVendorLinks(services, email)
    await sendPage(req, res, 200, renderLinkListPage(createReader(req, links), email, links))
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
    if (switchLanguage(req, res)) return
    const content = readLinkListToken(services, String(req.params.linkToken))
    if (content === null) return redirect(req, res, `${PAGE}?done=used`)
    const links = await listVendorLinks(services, content.email)
    await sendPage(req, res, 200, renderConfirmPage(createReader(req, links)))
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
