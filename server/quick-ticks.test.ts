import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

// The time it saves is for the benchmark; here is what it does.
test('ticks keep their shape through garbage collections', () => {
  const program = `
    import { executionAsyncResource } from 'node:async_hooks'
    import { keepTicksQuick } from './quick-ticks.js'
    const kept = new WeakRef(await keepTicksQuick())
    for (let i = 0; i < 3; i++) {
      await new Promise((done) => setImmediate(done))
      gc()
      const next = await new Promise((done) => process.nextTick(() => done(executionAsyncResource())))
      const tick = kept.deref()
      console.log(tick !== undefined && tick !== next && %HaveSameMap(tick, next))
    }`
  const said = execFileSync(
    process.execPath,
    ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', program],
    { cwd: path.resolve(import.meta.dirname), encoding: 'utf8' },
  )
  expect(said).toBe('true\n'.repeat(3))
})
