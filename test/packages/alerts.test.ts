import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

/** The metrics that Prometheus itself creates. `up` is whether it could read a target. */
const FROM_PROMETHEUS = ['up']

const rulesFile = path.join(root, 'docs/operating/alerts.yaml')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) console.log('promtool is not installed: it checks neither the alert rules nor the metrics.')

let plumbline: TestPlumbline
let text: string
beforeAll(async () => {
  plumbline = await startTestPlumbline({ METRICS_PORT: '0' })
  await plumbline.get('/api/ext/me')
  text = await (await fetch(plumbline.metricsUrl ?? '')).text()
})
afterAll(() => plumbline.stop())

/** Returns the names of the metrics in the response, including those of histograms. */
function reported(): Set<string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  return new Set(names)
}

/** Returns the names of the metrics in a PromQL expression or a page. */
const named = (expression: string) => [...expression.matchAll(/\b(?:plumbline_[a-z]+_[a-z_]*[a-z]|up\b)/g)].map(String)

test('each alert rule names only metrics that the service reports', () => {
  expect(rules.length).toBeGreaterThan(10)
  for (const { alert, expr } of rules) {
    expect([alert, named(expr).length]).not.toEqual([alert, 0])
    const unknown = named(expr).filter((name) => !FROM_PROMETHEUS.includes(name) && !reported().has(name))
    expect([alert, unknown]).toEqual([alert, []])
  }
})

test('each alert has a severity, a summary, and a section in the runbook', () => {
  const headings = [...read('docs/operating/runbook.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(rules.map(({ alert }) => alert))
  for (const { alert, labels, annotations } of rules) {
    expect(['critical', 'warning']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/\.$/)
    expect(annotations.runbook).toBe(`docs/operating/runbook.md#${alert.toLowerCase()}`)
  }
})

test('each section of the runbook has the parts Meaning, Check, and What to do', () => {
  const sections = read('docs/operating/runbook.md').split(/^## /m).slice(1)
  for (const section of sections) {
    const parts = [...section.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, part]) => part)
    expect([section.split('\n', 1)[0], parts]).toEqual([section.split('\n', 1)[0], ['Meaning', 'Check', 'What to do']])
  }
})

test('monitoring.md lists every metric of the service once, and no other metrics', () => {
  const rows = [...read('docs/operating/monitoring.md').matchAll(/^\| `(plumbline_\w+)` \|/gm)].map(([, name]) => name)
  const own = [...text.matchAll(/^# TYPE (plumbline_\S+)/gm)].map(([, name]) => name)
  expect(rows.toSorted()).toEqual(own.toSorted())
})

test('the operator documentation names only metrics that the service reports', () => {
  for (const page of ['monitoring', 'troubleshooting', 'runbook', 'several-machines', 'upgrading']) {
    const names = named(read(`docs/operating/${page}.md`)).filter((name) => name !== 'up')
    expect([page, names.filter((name) => !reported().has(name))]).toEqual([page, []])
  }
})

test('each metric has a help sentence and a name that follows the Prometheus conventions', () => {
  const own = [...text.matchAll(/^# HELP (plumbline_\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
  expect(own.length).toBeGreaterThan(20)
  for (const [, name = '', help = '', type = ''] of own) {
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)])
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
    if (type === 'histogram') expect(name).toMatch(/_seconds$/)
  }
})

test.skipIf(!hasPromtool)('promtool accepts the alert rules and the metrics', () => {
  const ofRules = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' })
  expect([ofRules.status, ofRules.stderr]).toEqual([0, ''])
  const ownText = text
    .split('\n')
    .filter((line) => line.includes('plumbline_'))
    .join('\n')
  const ofMetrics = spawnSync('promtool', ['check', 'metrics'], { encoding: 'utf8', input: `${ownText}\n` })
  expect([ofMetrics.status, ofMetrics.stderr, ofMetrics.stdout]).toEqual([0, '', ''])
})
