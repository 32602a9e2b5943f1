import { expect, test } from 'vitest'
import { TenantSemaphore } from './tenant-semaphore.ts'

/**
 * Returns a function that starts work, which then runs until the test finishes it. Also returns the order in which the
 * work started.
 */
function workshop() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((end) => {
      begun.push(name)
      ends.set(name, () => end(name))
    })
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

test('an organization that exceeds its share of concurrent work does not make other organizations wait', async () => {
  const shares = new TenantSemaphore({ of: 'turns', most: 2, mostWaiting: 10, waitMs: 10_000 })
  const { begun, work, end } = workshop()
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => shares.run('a', work(name)))
  const other = shares.run('b', work('b1'))
  await expect.poll(() => [begun, shares.waiting]).toEqual([['a1', 'a2', 'b1'], 2])
  end('a2')
  await all[1]
  await expect.poll(() => [begun, shares.waiting]).toEqual([['a1', 'a2', 'b1', 'a3'], 1])
  for (const name of ['a1', 'a3', 'b1']) end(name)
  await Promise.all([all[0], all[2], other])
  await expect.poll(() => begun).toContain('a4')
  end('a4')
  expect(await all[3]).toBe('a4')
  expect(shares.waiting).toBe(0)
})

test("a failed piece of work does not stop the next one in the organization's queue", async () => {
  const shares = new TenantSemaphore({ of: 'turns', most: 1, mostWaiting: 10, waitMs: 10_000 })
  const failing = shares.run('a', () => Promise.reject(new Error('it failed')))
  const next = shares.run('a', () => Promise.resolve('next'))
  await expect(failing).rejects.toThrow('it failed')
  expect(await next).toBe('next')
})

test("work is rejected if the organization's queue is full or the wait is too long", async () => {
  const shares = new TenantSemaphore({ of: 'turns', most: 1, mostWaiting: 1, waitMs: 20 })
  const { begun, work, end } = workshop()
  const first = shares.run('a', work('first'))
  const second = shares.run('a', work('second'))
  const problem = { code: 'too_many_concurrent_requests', headers: { 'Retry-After': '1' } }
  await expect(shares.run('a', work('third'))).rejects.toMatchObject(problem)
  await expect(second).rejects.toMatchObject(problem)
  end('first')
  await first
  expect([begun, shares.waiting]).toEqual([['first'], 0])
})
