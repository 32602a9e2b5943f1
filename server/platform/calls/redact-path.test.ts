import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startTestPlumbline } from '../../../test/support/test-plumbline.ts'
import { redactPath } from './redact-path.ts'

test('a logged path contains neither the query nor the secret of a portal link or key', () => {
  const invitation = 'inv_01m7y975jyfesvq695t8y8ma68'
  expect(redactPath('/api/ext/vendors?q=Ana')).toBe('/api/ext/vendors')
  expect(redactPath(`/api/portal/${invitation}.AbC-dEf_1234567890/bid`)).toBe(`/api/portal/${invitation}.…/bid`)
  expect(redactPath(`/portal/${invitation}%2eAbC-dEf_1234567890`)).toBe(`/portal/${invitation}.…`)
  expect(redactPath('/api/ext/plb_Ov1MyjVMgzNHIgflO9wiSgwo2NST3FE1VYIXv')).toBe('/api/ext/plb_…')
  expect(redactPath(`/${'a'.repeat(500)}`)).toHaveLength(200)
})

test('the log line of a request contains its path without tokens, codes, or state', async () => {
  const lines: { msg: string; path?: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const plumbline = await startTestPlumbline({}, { log })
  onTestFinished(() => plumbline.stop())
  const secret = 'AbC-dEf_1234567890AbC-dEf_123456'
  const [invitation, feed] = ['inv_01m7y975jyfesvq695t8y8ma68', 'cal_01m7y975jyfesvq695t8y8ma68']
  const paths = [
    ['/api/ext/me', '/api/ext/me'],
    [`/api/portal/${invitation}.${secret}`, `/api/portal/${invitation}.…`],
    [`/portal/${invitation}.${secret}/${invitation}/bid`, `/portal/${invitation}.…/${invitation}/bid`],
    [`/calendars/${feed}.${secret}.ics`, `/calendars/${feed}.…`],
    [`/oauth/authorize?state=${secret}`, '/oauth/authorize'],
    ['/mcp', '/mcp'],
  ] as const
  for (const [address] of paths) await plumbline.get(address)
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(requests.map(({ path }) => path)).toEqual(paths.map(([, path]) => path))
  expect(JSON.stringify(lines)).not.toContain(secret)
})
