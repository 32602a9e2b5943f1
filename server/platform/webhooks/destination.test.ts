import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Clock } from '../runtime/clock.ts'
import { findDestinationError, isPublicAddress } from './destination.ts'
import { createSender } from './sender.ts'

/** A service at a private address, which must never receive a request. */
let connections = 0
const trap = createServer((socket) => {
  connections++
  socket.destroy()
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((done) => trap.listen(0, '::', done))
  port = (trap.address() as { port: number }).port
})
afterAll(() => {
  trap.close()
})

const PRIVATE = [
  ['127.0.0.1', 'loopback'],
  ['127.8.4.2', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['169.254.169.254', 'link-local, the metadata of clouds'],
  ['100.64.0.1', 'carrier-grade'],
  ['198.18.0.1', 'benchmark'],
  ['198.19.255.255', 'benchmark'],
  ['192.0.0.8', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::1', 'loopback'],
  ['::', 'unspecified'],
  ['fc00::1', 'unique local'],
  ['fd12:3456::1', 'unique local'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['::ffff:127.0.0.1', 'v4 in v6'],
  ['::ffff:10.0.0.1', 'v4 in v6'],
  ['::7f00:1', 'v4 in v6, the old way'],
  ['2002:7f00:1::', '6to4'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b:1::1', 'NAT64 of the network'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['100::1', 'discard'],
] as const

describe('an address of a private network', () => {
  test.each(PRIVATE)(
    'the private network address %s (%s) is rejected in a webhook URL and at every delivery attempt',
    async (address) => {
      expect(isPublicAddress(address)).toBe(false)
      const host = address.includes(':') ? `[${address}]` : address
      expect(findDestinationError(`https://${host}/hooks`, false)).not.toBeNull()
      expect((await attempt(`https://${host}:${port}/`)).kind).toBe('refused')
      expect((await attempt(`http://${host}:${port}/`)).kind).toBe('refused')
    },
  )

  test.each([
    ['http://2130706433/', 'decimal'],
    ['https://2130706433/', 'decimal'],
    ['https://0177.0.0.1/', 'octal'],
    ['https://0x7f.1/', 'hexadecimal'],
    ['https://0x7f000001/', 'hexadecimal'],
    ['https://127.1/', 'short'],
    ['https://①②⑦.⓪.⓪.①/', 'other digits'],
    ['https://localhost/', 'a name of it'],
    ['https://localhost./', 'a name of it'],
    ['https://LOCALHOST/', 'a name of it'],
    ['https://app.localhost/', 'a name of it'],
    ['https://database/', 'a name without a domain'],
    ['https://user@example.com/', 'user info'],
    ['https://example.com@127.0.0.1/', 'user info'],
    ['https://example.com:22/', 'another port'],
    ['https://example.com:5432/', 'another port'],
    ['http://example.com/', 'plain http'],
    ['file:///etc/passwd', 'another scheme'],
    ['https:', 'no host'],
  ])('the webhook URL %s (%s) is rejected when it is set', (url) => {
    expect(findDestinationError(url, false)).not.toBeNull()
  })

  test.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111'])('%s is a public address', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test('a private network address is accepted as a webhook URL if the operator allows private addresses', () => {
    expect(findDestinationError('http://127.0.0.1:8080/', true)).toBeNull()
    expect(findDestinationError('https://user@127.0.0.1/', true)).not.toBeNull()
  })
})

const METADATA = [
  ['169.254.169.254', 'most clouds'],
  ['169.254.170.2', 'containers at AWS'],
  ['169.254.0.23', 'Tencent'],
  ['168.63.129.16', 'Azure'],
  ['100.100.100.200', 'Alibaba'],
  ['192.0.0.192', 'Oracle'],
  ['fd00:ec2::254', 'AWS'],
  ['fd00:ec2::23', 'containers at AWS'],
  ['fd20:ce::254', 'Google'],
  ['fe80::a9fe:a9fe', 'OpenStack'],
  ['::ffff:169.254.169.254', 'v4 in v6'],
  ['::ffff:a9fe:a9fe', 'v4 in v6, in hexadecimal'],
  ['::ffff:168.63.129.16', 'v4 in v6'],
  ['::a83f:8110', 'v4 in v6, the old way'],
  ['2002:a9fe:a9fe::', '6to4'],
  ['2002:a83f:8110::1', '6to4'],
  ['64:ff9b::a9fe:a9fe', 'NAT64'],
  ['64:ff9b::6464:64c8', 'NAT64'],
] as const

describe('the address of a cloud metadata service', () => {
  test.each(METADATA)(
    'the metadata address %s (%s) is rejected even if the operator allows private addresses',
    async (address) => {
      expect(isPublicAddress(address)).toBe(false)
      const host = address.includes(':') ? `[${address}]` : address
      for (const allowPrivate of [false, true]) {
        expect(findDestinationError(`https://${host}/latest/meta-data`, allowPrivate)).toBe(
          'must not point to a cloud metadata service',
        )
        for (const [url, resolve] of [
          [`http://${host}:${port}/`],
          [`https://${host}:${port}/`],
          [`http://metadata.google.internal:${port}/`, async () => [address]],
          [`http://hooks.example.com:${port}/`, async () => ['93.184.216.34', address]],
        ] as const) {
          const outcome = await attempt(url, resolve, allowPrivate)
          expect([url, outcome.kind]).toEqual([url, 'refused'])
          expect(outcome.error).toContain('the address of a cloud metadata service')
        }
      }
    },
  )

  test.each([
    ['http://2852039166/'],
    ['http://0xa9fea9fe/'],
    ['http://0251.0376.0251.0376/'],
    ['http://0xa8.63.129.16/'],
  ])('the address of a cloud metadata service is also rejected in the notation %s', (url) => {
    expect(findDestinationError(url, true)).toBe('must not point to a cloud metadata service')
  })

  test('addresses next to the address of a cloud metadata service are accepted', () => {
    for (const address of ['168.63.129.17', '100.100.100.201', '10.0.0.1', '127.0.0.1'])
      expect(findDestinationError(`http://${address}/`, true)).toBeNull()
    expect(isPublicAddress('168.63.129.17')).toBe(true)
  })
})

describe('a host name', () => {
  test.each(PRIVATE)('a host name that resolves to %s (%s) is rejected at every attempt', async (address) => {
    expect((await attempt(`http://hooks.example.com:${port}/`, async () => [address])).kind).toBe('refused')
  })

  test('a host name is rejected if any of its addresses is private', async () => {
    const outcome = await attempt(`http://hooks.example.com:${port}/`, async () => ['93.184.216.34', '127.0.0.1'])
    expect(outcome).toMatchObject({
      kind: 'refused',
      error: 'Webhooks cannot be sent to 127.0.0.1, because it is not a public address.',
    })
  })

  test('a host name that was public at creation is rejected if it later resolves to a private address', async () => {
    expect(findDestinationError('https://rebind.example.com/', false)).toBeNull()
    let requested = 0
    const rebinding = async () => (++requested === 1 ? [] : ['127.0.0.1'])
    const http = createSender(new Clock(), { allowPrivate: false, resolve: rebinding })
    const once = { url: `http://rebind.example.com:${port}/`, headers: {}, body: Buffer.from('{}') }
    expect((await http.send(once)).kind).toBe('unreachable')
    expect((await http.send(once)).kind).toBe('refused')
    expect(requested).toBe(2)
    await http.close()
  })

  test('a webhook delivery to a host name that cannot be resolved is recorded as unreachable', async () => {
    const outcome = await attempt('https://hooks.example.com/', async () => {
      throw new Error('queryA ENOTFOUND hooks.example.com')
    })
    expect(outcome).toMatchObject({ kind: 'unreachable', error: 'queryA ENOTFOUND hooks.example.com' })
  })
})

afterAll(() => {
  // No connection to any of these addresses was opened.
  expect(connections).toBe(0)
})

async function attempt(url: string, resolve?: (name: string) => Promise<string[]>, allowPrivate = false) {
  const http = createSender(new Clock(), { allowPrivate, resolve })
  const outcome = await http.send({ url, headers: {}, body: Buffer.from('{}') })
  await http.close()
  return outcome
}
