import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Clock } from '../runtime/clock.ts'
import { createSender, type SenderOptions } from './sender.ts'

/** Represents a receiver in a private network at 127.0.0.1, and a receiver on the public internet at 127.0.0.2. */
let receiver: Server
let port = 0
beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume()
    if (request.url === '/long') return response.writeHead(500).end('x'.repeat(3_000_000))
    response.writeHead(200).end('no\0t now')
  })
  await new Promise<void>((done) => receiver.listen(0, done))
  port = (receiver.address() as AddressInfo).port
})
afterAll(() => {
  receiver.close()
})

const isShown = (address: string) => address.endsWith('127.0.0.2')

describe('the response of a receiver', () => {
  test('characters that a text column cannot contain are removed from a stored receiver response', async () => {
    const [outcome] = await send([`http://127.0.0.2:${port}/`], { allowPrivate: true, isShown })
    expect(outcome).toMatchObject({ kind: 'succeeded', responseStatus: 200, responseBody: 'not now' })
  })

  test("only the first kilobyte of a receiver's response is stored", async () => {
    const [outcome] = await send([`http://127.0.0.2:${port}/long`], { allowPrivate: true, isShown })
    expect(outcome).toMatchObject({ kind: 'rejected', responseStatus: 500, responseBody: 'x'.repeat(1024) })
  })

  test("a receiver's response is not stored if its address is in a private network", async () => {
    const resolve = async () => ['127.0.0.1']
    const urls = [`http://127.0.0.1:${port}/`, `http://hooks.example.com:${port}/`]
    for (const outcome of await send(urls, { allowPrivate: true, resolve, isShown }))
      expect(outcome).toMatchObject({ kind: 'succeeded', responseStatus: 200, responseBody: null })
  })

  test('after a host name resolves to a private network, responses from the host are no longer stored', async () => {
    const addresses = ['127.0.0.2', '127.0.0.1', '127.0.0.2']
    const resolve = async () => [addresses.shift() ?? '']
    const url = `http://rebind.example.com:${port}/long`
    const bodies = (await send([url, url, url], { allowPrivate: true, resolve, isShown })).map(
      ({ responseBody }) => responseBody?.length ?? null,
    )
    expect(addresses).toEqual([])
    expect(bodies).toEqual([1024, null, null])
  })
})

/** Sends to the URLs one after the other, and returns the outcomes. */
async function send(urls: string[], options: SenderOptions) {
  const http = createSender(new Clock(), options)
  const outcomes = []
  for (const url of urls) outcomes.push(await http.send({ url, headers: {}, body: Buffer.from('{}') }))
  await http.close()
  return outcomes
}
