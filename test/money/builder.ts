import { expect } from 'vitest'
import { addDays } from '../../server/platform/values/calendar.ts'
import { buildSite, type Site } from '../support/site.ts'
import type { ServiceResponse, TestPlumbline } from '../support/test-plumbline.ts'

export type Body = ServiceResponse['body']

/** A builder whose orders, bills, and payments the tests enter over HTTP. */
export class Builder {
  readonly site: Site
  readonly #plumbline: TestPlumbline
  homeId = ''
  vendorId = ''

  private constructor(plumbline: TestPlumbline, site: Site) {
    this.#plumbline = plumbline
    this.site = site
  }

  static async start(plumbline: TestPlumbline): Promise<Builder> {
    return new Builder(plumbline, await buildSite(plumbline))
  }

  /** Creates a new home and a new vendor, so that other examples do not affect this one. */
  async reset(paymentTerms: object = { netDays: 30 }, vendor: object = {}): Promise<void> {
    this.homeId = (await this.made('/homes', { name: 'Lot 41', communityId: this.site.communityId })).id
    const companyName = `Lone Star ${crypto.randomUUID()}`
    this.vendorId = (await this.made('/vendors', { companyName, paymentTerms, ...vendor })).id
  }

  day(days: number): string {
    return this.site.day(days)
  }

  post(path: string, body: object): Promise<ServiceResponse> {
    return this.#plumbline.post(`/api/ext${path}`, body, { key: this.site.key })
  }

  patch(path: string, body: object): Promise<ServiceResponse> {
    return this.#plumbline.patch(`/api/ext${path}`, body, { key: this.site.key })
  }

  async get(path: string): Promise<Body> {
    return (await this.#plumbline.get(`/api/ext${path}`, { key: this.site.key })).body
  }

  async made(path: string, body: object): Promise<Body> {
    const response = await this.post(path, body)
    expect(response.status, JSON.stringify(response.body)).toBe(201)
    return response.body
  }

  async done(path: string, body: object): Promise<Body> {
    const response = await this.post(path, body)
    expect(response.status, JSON.stringify(response.body)).toBe(200)
    return response.body
  }

  /** Sends a request that must be rejected. Returns its status, code, and reason. */
  async refused(path: string, body: object): Promise<[number, string, string]> {
    const { status, body: problem } = await this.post(path, body)
    return [status, problem.reason ?? problem.code, problem.detail]
  }

  async draft(totals: number | readonly number[], more: object = {}): Promise<Body> {
    const all = typeof totals === 'number' ? [totals] : totals
    return this.made('/purchase-orders', {
      ...{ homeId: this.homeId, vendorId: this.vendorId, scope: 'framing', retainagePercent: 10 },
      lines: all.map((unitPrice, i) => ({ lineId: `line-${i + 1}`, description: 'As agreed', quantity: 1, unitPrice })),
      ...more,
    })
  }

  async move(id: string, ...statuses: string[]): Promise<void> {
    for (const status of statuses) await this.done(`/purchase-orders/${id}/status`, { status, reason: 'As agreed.' })
  }

  /** Creates an order that the vendor has accepted. */
  async order(totals: number | readonly number[], more: object = {}): Promise<Body> {
    const { id } = await this.draft(totals, more)
    await this.move(id, 'approved', 'issued', 'accepted')
    return this.orderNow(id)
  }

  orderNow(id: string): Promise<Body> {
    return this.get(`/purchase-orders/${id}`)
  }

  progress(id: string, completedPercent: number, more: object = {}): Promise<Body> {
    return this.done(`/purchase-orders/${id}/progress`, { completedPercent, ...more })
  }

  async billsOf(poId: string): Promise<Body[]> {
    return (await this.get(`/bills?poId=${poId}&sort=createdAt`)).data
  }

  bill(lines: readonly object[], more: object = {}): Promise<Body> {
    return this.made('/bills', { vendorId: this.vendorId, lines, ...more })
  }

  approve(bill: Body, more: object = {}): Promise<Body> {
    return this.done(`/bills/${bill.id}/status`, { status: 'approved', ...more })
  }

  creditMemo(poId: string, amount: number): Promise<Body> {
    return this.bill([{ poId, amount }], { billType: 'credit_memo' })
  }

  pay(body: object): Promise<Body> {
    return this.made('/payments', body)
  }

  async paid(payment: Body, more: object = {}): Promise<Body> {
    if (payment.status === 'pending') await this.done(`/payments/${payment.id}/status`, { status: 'approved' })
    return this.done(`/payments/${payment.id}/status`, { status: 'paid', ...more })
  }

  /** Starts a payment run. Returns the run and its payment to the vendor. */
  async run(more: object = {}): Promise<{ run: Body; payment: Body }> {
    const throughDate = addDays(this.day(0), 400)
    const run = await this.made('/payment-runs', { vendorIds: [this.vendorId], throughDate, ...more })
    const [id] = run.paymentIds
    return { run, payment: id === undefined ? null : await this.get(`/payments/${id}`) }
  }

  async skill(skill: string, input: object): Promise<Body> {
    return (await this.done('/execute', { skill, input })).result
  }
}
