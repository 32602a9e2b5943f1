import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll } from 'vitest'
import { takeSeenAnswers } from './seen-in-process.ts'

/** Records what each test file has seen; after the whole suite, seen-answers.ts compares that with the contract. */
afterAll(() => {
  const folder = process.env.SEEN_ANSWERS
  if (folder !== undefined)
    appendFileSync(path.join(folder, `${process.pid}.txt`), [...takeSeenAnswers(), ''].join('\n'))
})
