import express, { type Request, type Response, type Router } from 'express'
import type { Services } from '../../platform/calls/call.ts'
import { getClientAddress } from '../../platform/calls/client-address.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { createPageReader, redirect, sendPage } from '../portal/responses/page-responses.ts'
import { OWNER_PAGE, renderLinkConfirmPage, renderLinkRequestPage, toLinkRequestNote } from './link-request-pages.ts'
import { isRequestToken, openRequestedLink } from './mail-owner-links.ts'

const CONFIRM_PATH = `${OWNER_PAGE}/new/:linkToken`
const MAX_FORM_BYTES = 4 * 1024
const MAX_EMAIL = 254
const EMAIL = /^[^\s@]+@[^\s@]+$/

/**
 * Adds the pages with which a home owner gets a new link: the owner requests an email, opens the one-time link in the
 * email, and confirms. The response to a request is the same for every address.
 */
export function addLinkRequestRoutes(
  routes: Router,
  services: Services,
  refuse: (req: Request, res: Response, error: unknown) => Promise<void>,
): void {
  const handle = (work: (req: Request, res: Response) => Promise<void>) => async (req: Request, res: Response) => {
    try {
      await services.limits.takeVisit(getClientAddress(req))
      if (services.config.mail === null) throw notFound()
      await work(req, res)
    } catch (error) {
      await refuse(req, res, error)
    }
  }
  const getReader = (req: Request) => createPageReader(services, req, null, services.clock.now())

  const showForm = handle((req, res) =>
    sendPage(req, res, 200, renderLinkRequestPage(getReader(req), toLinkRequestNote(req.query.done))),
  )
  const request = handle(async (req, res) => {
    const { email: sent } = (req.body ?? {}) as Record<string, unknown>
    const email = typeof sent === 'string' ? sent.trim() : ''
    if (email.length > MAX_EMAIL || !EMAIL.test(email)) return redirect(req, res, `${OWNER_PAGE}?done=wrong`)
    services.ownerLinkRequests.add(email)
    redirect(req, res, `${OWNER_PAGE}?done=sent`)
  })
  const showConfirmation = handle(async (req, res) => {
    if (!isRequestToken(services, String(req.params.linkToken))) return redirect(req, res, `${OWNER_PAGE}?done=used`)
    await sendPage(req, res, 200, renderLinkConfirmPage(getReader(req)))
  })
  const confirm = handle(async (req, res) => {
    const url = await openRequestedLink(services, String(req.params.linkToken))
    redirect(req, res, url === null ? `${OWNER_PAGE}?done=used` : new URL(url).pathname)
  })

  const parse = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES })
  routes.get(OWNER_PAGE, showForm)
  routes.post(OWNER_PAGE, parse, request)
  routes.get(CONFIRM_PATH, showConfirmation)
  routes.post(CONFIRM_PATH, parse, confirm)
}
