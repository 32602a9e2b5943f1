import { createSocket, type Socket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createPrivateResolver } from './name-resolution.ts'

const opened: Socket[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close()
})

/**
 * Returns a resolver. Its name server responds to a query with the result of `answer`, and does not respond if the
 * result is null.
 */
async function getResolver(answer: (question: Buffer) => Buffer | null): Promise<Resolver> {
  const server = createSocket('udp4')
  opened.push(server)
  server.on('message', (question, { port, address }) => {
    const bytes = answer(question)
    if (bytes !== null) server.send(bytes, port, address)
  })
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done))
  const resolver = new Resolver({ timeout: 200, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return resolver
}

const silent = () => null

/** Returns a response that states that the name does not exist (RFC 1035). */
function noSuchName(question: Buffer): Buffer {
  const bytes = Buffer.from(question)
  bytes.writeUInt16BE(0x8183, 2)
  // Remove the additional records of the query.
  bytes.writeUInt16BE(0, 10)
  return bytes.subarray(0, bytes.indexOf(0, 12) + 5)
}

/**
 * Returns a system resolver that knows all names. Also returns the names that were looked up, and the maximum number of
 * concurrent lookups.
 */
function system() {
  const seen = { asked: [] as string[], most: 0 }
  let underWay = 0
  const resolve = async (name: string) => {
    seen.asked.push(name)
    seen.most = Math.max(seen.most, ++underWay)
    await turnOfEventLoop()
    underWay--
    return [`10.0.0.${seen.asked.indexOf(name)}`]
  }
  return { seen, resolve }
}

test('if the DNS servers for a name do not respond, the system resolver is not used', async () => {
  const { seen, resolve } = system()
  const lookUp = createPrivateResolver(await getResolver(silent), resolve)
  await expect(lookUp('hooks.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' })
  expect(seen.asked).toEqual([])
})

test('only the system resolver is used for a name without a domain', async () => {
  const lookUp = createPrivateResolver(await getResolver(silent), system().resolve)
  expect(await lookUp('receiver')).toEqual(['10.0.0.0'])
})

test('the system resolver handles one name at a time', async () => {
  const { seen, resolve } = system()
  const lookUp = createPrivateResolver(await getResolver(noSuchName), resolve)
  expect(await lookUp('one.test')).toEqual(['10.0.0.0'])
  seen.asked.length = 0
  const found = await Promise.all(['one', 'two', 'one', 'three', 'one'].map(lookUp))
  expect(found).toEqual([['10.0.0.0'], ['10.0.0.1'], ['10.0.0.0'], ['10.0.0.2'], ['10.0.0.0']])
  expect(seen).toEqual({ asked: ['one', 'two', 'three'], most: 1 })
})
