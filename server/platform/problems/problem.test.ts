import { expect, test } from 'vitest'
import { createValueTakenProblem, invalidTransition, toProblem, unknownReference, validationFailed } from './problem.ts'

test('an error of an unavailable database becomes the problem unavailable, even if the error is wrapped', () => {
  const said = new Error('timeout exceeded when trying to connect')
  for (const error of [said, new Error('Failed to get session', { cause: said }), new AggregateError([said])])
    expect(toProblem(error)).toMatchObject({ code: 'unavailable', status: 503, headers: { 'Retry-After': '2' } })
  expect(toProblem(new Error('Failed', { cause: new Error('something else') })).code).toBe('internal')
})

test.each(['ENOSPC', 'EROFS', 'EMFILE'])('a disk error %s is not an internal error', (code) => {
  const said = Object.assign(new Error(`${code}: no space left on device, write`), { code })
  expect(toProblem(said)).toMatchObject({ code: 'unavailable', status: 503, headers: { 'Retry-After': '10' } })
})

test('the detail of each shared problem has complete sentences', () => {
  const fault = { pointer: '/name', code: 'required', message: 'is required' }
  const failed = (code: string) => toProblem(Object.assign(new Error('failed'), { code }))
  const shared = [
    validationFailed([fault]),
    validationFailed([fault, fault]),
    unknownReference(['/vendorId']),
    unknownReference(['/vendorId', '/homeId']),
    invalidTransition('draft', 'closed', ['issued', 'void']),
    invalidTransition('closed', 'draft', []),
    createValueTakenProblem('externalId'),
    failed('57014'),
    failed('ECONNREFUSED'),
    failed('25006'),
    failed('ENOSPC'),
    failed('unknown'),
  ]
  expect(shared.map(({ message }) => message)).toEqual([
    'The request has 1 validation error. See `errors`.',
    'The request has 2 validation errors. See `errors`.',
    'The ID in /vendorId does not match any record in your organization.',
    'The IDs in /vendorId, /homeId do not match any records in your organization.',
    'Cannot change the status from draft to closed. Allowed: issued, void.',
    'Cannot change the status to draft: closed is a final status.',
    'Another record already uses this externalId.',
    'The request timed out. Try again.',
    'The service is temporarily unavailable: the database is not responding. Try again.',
    'The database cannot complete this request right now. Try again in 10 seconds.',
    'File storage is temporarily unavailable. Try again in 10 seconds.',
    'Something went wrong on our side. Include the `requestId` if you contact support.',
  ])
})
