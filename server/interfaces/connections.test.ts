import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { isTestedHere } from '../../test/support/is-tested-here.ts'
import { buildSite } from '../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/test-plumbline.ts'
import type { Handlers } from '../platform/calls/operation.ts'
import { operations } from './operations.ts'

const MEBIBYTE = 1024 * 1024
let plumbline: TestPlumbline
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await plumbline.stop()
})

/** Opens a connection that reads nothing until it is resumed, and reports whether it is closed. */
function open(): { socket: Socket; closed: Promise<true>; isClosed(): boolean } {
  const { hostname, port } = new URL(plumbline.url)
  const socket = connect(Number(port), hostname).pause()
  sockets.push(socket)
  socket.on('error', () => {})
  const closed = new Promise<true>((done) => socket.on('close', () => done(true)))
  return { socket, closed, isClosed: () => socket.closed }
}

const isOpen = ({ socket }: { socket: Socket }) =>
  new Promise<boolean>((done) => {
    socket.once('connect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'))
    socket.once('data', () => done(true)).resume()
    socket.once('close', () => done(false))
  })

/** Returns the server-side socket of the connection on which the next request arrives. */
function socketOfNextRequest(send: () => void): Promise<Socket> {
  return new Promise((done) => {
    const take = (message: unknown) => {
      unsubscribe('http.server.request.start', take)
      done((message as { socket: Socket }).socket)
    }
    subscribe('http.server.request.start', take)
    send()
  })
}

/** Returns a function that builds the given number of pipelined requests. Each requests a page of 1 MiB. */
async function pagesOf1MiB(): Promise<(count: number) => string> {
  const site = await buildSite(plumbline)
  const lines = Array.from({ length: 200 }, () => ({ description: '界'.repeat(500) }))
  for (let i = 0; i < 4; i++) {
    const draft = { ...site.framing(), lines, sendNow: false }
    expect((await plumbline.post('/api/ext/bids/request', draft, { key: site.key })).status).toBe(201)
  }
  const request = `GET /api/ext/bids/requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${site.key}\r\n\r\n`
  return (count) => request.repeat(count)
}

// The limits on connections do not depend on the database, so the test runs on only one.
describe.skipIf(!isTestedHere())('over a socket', () => {
  describe('a client that does not read its responses', () => {
    test('a client that reads none of its responses is disconnected after the write timeout', async () => {
      plumbline = await startTestPlumbline({ WRITE_TIMEOUT_SECONDS: '1' })
      const pages = await pagesOf1MiB()
      const reader = open()
      const stalled = await socketOfNextRequest(() => reader.socket.write(pages(16)))
      // A client that reads nothing cannot notice that the connection was closed, so check the server's socket.
      await expect.poll(() => stalled.destroyed, { timeout: 20_000 }).toBe(true)
      reader.socket.resume()
      await reader.closed
      expect(reader.socket.bytesRead).toBeLessThan(16 * MEBIBYTE)
    })

    test('a client that reads its responses slowly is not disconnected, regardless of the total time', async () => {
      plumbline = await startTestPlumbline({ WRITE_TIMEOUT_SECONDS: '1' })
      const pages = await pagesOf1MiB()
      const reader = open()
      reader.socket.write(pages(16))
      const started = performance.now()
      const pace = setInterval(() => reader.socket.read(256 * 1024) ?? reader.socket.read(), 50)
      reader.socket.on('readable', () => {})
      await expect.poll(() => reader.socket.bytesRead, { timeout: 30_000 }).toBeGreaterThan(16 * MEBIBYTE)
      clearInterval(pace)
      expect(performance.now() - started).toBeGreaterThan(2000)
      expect(reader.isClosed()).toBe(false)
    })
  })

  test('a client that waits for a slow response is not disconnected', async () => {
    const slow: Handlers = {
      ...operations,
      async getCaller(input, call) {
        await new Promise((done) => setTimeout(done, 2500))
        return operations.getCaller(input, call)
      },
    }
    plumbline = await startTestPlumbline({ WRITE_TIMEOUT_SECONDS: '1' }, { handlers: slow })
    expect((await plumbline.get('/api/ext/me')).status).toBe(200)
  })

  test('an incomplete request is rejected after the request timeout', async () => {
    plumbline = await startTestPlumbline({ REQUEST_TIMEOUT_SECONDS: '1' })
    const { socket } = open()
    const head = `POST /api/ext/vendors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${plumbline.key}`
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`)
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk
    })
    await new Promise((done) => socket.resume().on('close', done))
    expect(answer).toContain('408')
    expect(answer).toContain('request_timeout')
  })

  describe('connections', () => {
    test('the number of open connections per address is limited', async () => {
      plumbline = await startTestPlumbline({ MAX_CONNECTIONS_PER_ADDRESS: '3' })
      const opened = [open(), open(), open()]
      expect(await Promise.all(opened.map(isOpen))).toEqual([true, true, true])
      expect(await isOpen(open())).toBe(false)
      opened[0]?.socket.destroy()
      await expect.poll(() => isOpen(open())).toBe(true)
    })

    test('connections from a trusted proxy, which represents many clients, are not limited by address', async () => {
      plumbline = await startTestPlumbline({ MAX_CONNECTIONS_PER_ADDRESS: '1', TRUSTED_PROXIES: 'loopback' })
      expect(await Promise.all([open(), open(), open()].map(isOpen))).toEqual([true, true, true])
    })

    test('the total number of connections is limited', async () => {
      plumbline = await startTestPlumbline({ MAX_CONNECTIONS: '2', TRUSTED_PROXIES: 'loopback' })
      const two = [open(), open()]
      expect(await Promise.all(two.map(isOpen))).toEqual([true, true])
      expect(await isOpen(open())).toBe(false)
    })
  })
})

test('concurrent readiness checks share one database query', async () => {
  plumbline = await startTestPlumbline()
  const { database } = plumbline
  const ping = database.ping
  let requested = 0
  Object.assign(database, {
    ping: () => {
      requested++
      return ping()
    },
  })
  const answers = await Promise.all(Array.from({ length: 50 }, () => plumbline.get('/readyz', { key: null })))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(requested).toBeLessThanOrEqual(2)
})
