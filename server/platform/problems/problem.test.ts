import { expect, test } from 'vitest'
import { toProblem } from './problem.ts'

test('a database that is away is no fault of the service, whoever wrapped what it said', () => {
  const said = new Error('timeout exceeded when trying to connect')
  for (const error of [said, new Error('Failed to get session', { cause: said }), new AggregateError([said])])
    expect(toProblem(error)).toMatchObject({ code: 'unavailable', status: 503, headers: { 'Retry-After': '2' } })
  expect(toProblem(new Error('Failed', { cause: new Error('something else') })).code).toBe('internal')
})

test.each(['ENOSPC', 'EROFS', 'EMFILE'])('a disk that says %s is no fault of the service', (code) => {
  const said = Object.assign(new Error(`${code}: no space left on device, write`), { code })
  expect(toProblem(said)).toMatchObject({ code: 'unavailable', status: 503, headers: { 'Retry-After': '10' } })
})
