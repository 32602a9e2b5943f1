import { expect, test } from 'vitest'
import { pathForLog } from './path-for-log.ts'

test('the path of a log line has neither a query nor the secret of a portal link or of a key', () => {
  const invitation = 'inv_01m7y975jyfesvq695t8y8ma68'
  expect(pathForLog('/api/ext/vendors?q=Ana')).toBe('/api/ext/vendors')
  expect(pathForLog(`/api/portal/${invitation}.AbC-dEf_1234567890/bid`)).toBe(`/api/portal/${invitation}.…/bid`)
  expect(pathForLog('/api/ext/plb_Ov1MyjVMgzNHIgflO9wiSgwo2NST3FE1VYIXv')).toBe('/api/ext/plb_…')
  expect(pathForLog(`/${'a'.repeat(500)}`)).toHaveLength(200)
})
