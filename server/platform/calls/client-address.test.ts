import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startTestPlumbline } from '../../../test/support/test-plumbline.ts'
import { readConfig } from '../config/config.ts'
import { getNetwork } from './client-address.ts'

/** Sends a request with this X-Forwarded-For header, and returns the address in the log. */
async function loggedAddress(trustedProxies: string, forwarded: string): Promise<unknown> {
  const lines: { msg: string; address: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const plumbline = await startTestPlumbline({ TRUSTED_PROXIES: trustedProxies }, { log })
  onTestFinished(() => plumbline.stop())
  await plumbline.get('/api/ext/me', { headers: { 'X-Forwarded-For': forwarded } })
  return lines.find(({ msg }) => msg === 'request')?.address
}

test('X-Forwarded-For is ignored unless a trusted proxy sends it', async () => {
  expect(await loggedAddress('', '198.51.100.7')).toBe('127.0.0.1')
  expect(await loggedAddress('10.0.0.0/8', '198.51.100.7')).toBe('127.0.0.1')
})

test('behind trusted proxies, the client address is the last address that is not a trusted proxy', async () => {
  expect(await loggedAddress('loopback', '203.0.113.9, 198.51.100.7')).toBe('198.51.100.7')
  expect(await loggedAddress('loopback, 198.51.100.0/24', '203.0.113.9, 198.51.100.7')).toBe('203.0.113.9')
})

test('an invalid address in TRUSTED_PROXIES prevents startup', () => {
  expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, nginx' })).toThrow(/^TRUSTED_PROXIES .*"nginx" is neither/)
  for (const wrong of ['127.0.0', '127.1/8', '0x7f.0.0.1', '10.0.0.0/33', '10.0.0.1/', ':', '2001:db8::/129'])
    expect(() => readConfig({ TRUSTED_PROXIES: wrong }), wrong).toThrow(`"${wrong}" is neither`)
})

test('IPv6 addresses of the same /64 network are counted together', () => {
  expect(getNetwork('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(getNetwork('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
  expect(getNetwork('2001:db8:1:3::9')).toBe('2001:db8:1:3::/64')
  expect(getNetwork('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect([getNetwork('192.0.2.7'), getNetwork('unknown')]).toEqual(['192.0.2.7', 'unknown'])
})
