/** A client with a single API key for a service that may be killed at any moment. */
export class Caller {
  readonly #key: string

  constructor(key: string) {
    this.#key = key
  }

  async made(service: string, path: string, body: object): Promise<{ id: string }> {
    const answer = await this.send(service, 'POST', path, body)
    if (answer?.status !== 201) throw new Error(`${path} returned ${answer?.status}: ${JSON.stringify(answer)}`)
    return answer.body as { id: string }
  }

  async read<T>(service: string, path: string): Promise<T> {
    const answer = await this.send(service, 'GET', path)
    if (answer?.status !== 200) throw new Error(`${path} returned ${answer?.status}`)
    return answer.body as T
  }

  async all<T>(service: string, path: string): Promise<T[]> {
    const items: T[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: T[]; nextCursor: string | null } = await this.read(
        service,
        cursor === '' ? path : `${path}&cursor=${cursor}`,
      )
      items.push(...page.data)
      cursor = page.nextCursor
    }
    return items
  }

  /** Sends a request. Returns null if there is no response. */
  async send(service: string, method: string, path: string, body?: object, idempotencyKey?: string) {
    try {
      const response = await fetch(`${service}/api/ext${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': 'application/json',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as unknown }
    } catch {
      return null
    }
  }
}
