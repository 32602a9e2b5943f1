import { expect } from 'vitest'
import { describeSchemaErrors } from '../../scripts/conformance/walked-contract.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import {
  type Builder,
  type BuilderOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from './test-plumbline.ts'

type Body = ServiceResponse['body']

/** A builder for tests of skills, with short methods that create data and run skills. */
export class Desk {
  readonly plumbline: TestPlumbline
  readonly builder: Builder

  private constructor(plumbline: TestPlumbline, builder: Builder) {
    this.plumbline = plumbline
    this.builder = builder
  }

  static async open(options: BuilderOptions = {}): Promise<Desk> {
    const plumbline = await startTestPlumbline()
    return new Desk(plumbline, await plumbline.newBuilder({ timeZone: 'UTC', ...options }))
  }

  /** Returns the date that is the given number of days from today. */
  day(days: number): string {
    return addDays(toLocalDate('UTC', this.plumbline.clock.now()), days)
  }

  async get(path: string): Promise<Body> {
    return (await this.plumbline.get(`/api/ext${path}`, { key: this.builder.key })).body
  }

  /** Posts a request that must succeed. */
  async post(path: string, body: object = {}): Promise<Body> {
    const response = await this.plumbline.post(`/api/ext${path}`, body, { key: this.builder.key })
    expect(response.status, `${path} ${JSON.stringify(response.body)}`).toBeLessThan(300)
    return response.body
  }

  /** Updates an existing record with PUT or PATCH. */
  async put(path: string, body: object): Promise<Body> {
    const response = await this.plumbline.put(`/api/ext${path}`, body, { key: this.builder.key })
    expect(response.status, `${path} ${JSON.stringify(response.body)}`).toBeLessThan(300)
    return response.body
  }

  /** Changes the status of a record step by step. An order over its budget needs a second approval. */
  async move(path: string, ...statuses: string[]): Promise<void> {
    for (const status of statuses) {
      const moved = await this.post(`${path}/status`, { status })
      if (moved.status === 'pending_approval') await this.post(`${path}/status`, { status })
    }
  }

  /** Creates an order with one line, changes its status step by step, and completes the given part. */
  async order(fields: { amount: number; done?: number; statuses?: string[]; [field: string]: unknown }): Promise<Body> {
    const { amount, done = 0, statuses = ['approved', 'issued', 'accepted'], ...rest } = fields
    const lines = [{ description: 'Work', quantity: 1, unitPrice: amount }]
    const { id } = await this.post('/purchase-orders', { lines, ...rest })
    await this.move(`/purchase-orders/${id}`, ...statuses)
    if (done > 0) await this.post(`/purchase-orders/${id}/progress`, { completedPercent: done })
    return this.get(`/purchase-orders/${id}`)
  }

  /** Runs a skill and returns its result after checking it against the contract. */
  async run(skill: string, input: object = {}, more: object = {}): Promise<Body> {
    const response = await this.execute(skill, input, more)
    expect([response.status, response.body.code, response.body.detail, response.body.errors]).toEqual([
      200,
      undefined,
      undefined,
      undefined,
    ])
    expect(describeSchemaErrors(response.body.result, 'x-skills', skill, 'output')).toBe('')
    return response.body.result
  }

  execute(skill: string, input: object, more: object = {}): Promise<ServiceResponse> {
    return this.plumbline.post('/api/ext/execute', { skill, input, ...more }, { key: this.builder.key })
  }
}
