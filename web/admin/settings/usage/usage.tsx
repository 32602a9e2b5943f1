import { useSearchParams } from 'react-router'
import type { KeyUsage } from '../../../../client/contract.gen.ts'
import { MAIN_QUERY } from '../../../api/page-calls.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { DayBars } from '../../../ui/day-bars.tsx'
import { Page } from '../../../ui/page.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ParamSelect } from '../../../ui/param-select.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { useFormats } from '../../../ui/use-formats.ts'
import { KeysInPeriod, MinuteByKey } from './usage-by-key.tsx'

const PERIODS = [
  { value: '', label: 'Last 14 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
]
/** The polling interval, which keeps the data for the current minute up to date. */
const REFRESH_MS = 10_000

/** Shows the requests of programs compared with their limits, by day and by key. */
export function Component() {
  const [params] = useSearchParams()
  const keyId = params.get('key')
  const days = Number(params.get('days') ?? '') || undefined
  const usage = plumbline.useQuery(
    'get',
    '/api/admin/usage',
    { params: { query: { ...(days !== undefined && { days }), ...(keyId !== null && { keyId }) } } },
    { refetchInterval: REFRESH_MS, placeholderData: (before: KeyUsage | undefined) => before, meta: MAIN_QUERY },
  )
  return (
    <Page title="Usage" crumbs={[{ name: 'Settings' }, { name: 'Usage' }]}>
      <div className="page-head">
        <h1>Usage</h1>
        <p>API requests and their limits: per minute for each key, and per UTC day for the organization.</p>
      </div>
      {usage.error !== null ? (
        <LoadError what="The usage" error={usage.error} onRetry={() => void usage.refetch()} />
      ) : usage.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <UsageDetails usage={usage.data} />
      )}
    </Page>
  )
}

function UsageDetails({ usage }: { usage: KeyUsage }) {
  const { shortDay } = useFormats()
  const { days, keys, today } = usage
  const [first, last] = [days[0], days.at(-1)]
  return (
    <>
      <div className="cols even">
        <UsageToday usage={usage} />
        <Panel
          title="Requests this minute, by key"
          hint={`limit: ${formatCount(usage.requestsPerMinute, 'request')} per key`}
          isFlush
        >
          <MinuteByKey keys={keys} limit={usage.requestsPerMinute} />
        </Panel>
      </div>
      <Panel
        title="Requests by day"
        hint={first && last && `${shortDay(first.date)} to ${shortDay(last.date)}, UTC`}
        actions={
          <>
            <ParamSelect
              name="key"
              label="Key"
              options={[
                { value: '', label: 'All keys' },
                ...keys.map(({ keyId, name }) => ({ value: keyId, label: name })),
              ]}
            />
            <ParamSelect name="days" label="Period" options={PERIODS} />
          </>
        }
        foot={
          <span className="legend" aria-hidden="true">
            <Swatch className="f-committed" word="Allowed" />
            <Swatch className="c-soft" word="Today" />
            <Swatch className="f-over" word="Denied (429)" />
          </span>
        }
      >
        <DayBars
          label="Requests by day"
          days={days.map(({ date, requests, refused }) => ({ date, count: requests, bad: refused }))}
          limit={{ value: today.limit, word: 'Daily limit' }}
          words={['allowed', 'denied']}
        />
      </Panel>
      <Panel title="Requests by key" hint="same period" isFlush>
        <KeysInPeriod keys={keys} />
      </Panel>
    </>
  )
}

function Swatch({ className, word }: { className: string; word: string }) {
  return (
    <span>
      <svg viewBox="0 0 16 12" className="chart" aria-hidden="true">
        <rect className={className} y="2" width="16" height="8" />
      </svg>
      {word}
    </span>
  )
}

function UsageToday({ usage: { today, days } }: { usage: KeyUsage }) {
  const { time } = useFormats()
  const share = Math.min(100, (today.used / today.limit) * 100)
  const refused = days.at(-1)?.refused ?? 0
  return (
    <Panel title="Requests today, all keys" hint={`resets at ${time(today.resetsAt)}`}>
      <div className="stack">
        <div className="row base">
          <b className="big">{today.used.toLocaleString('en-US')}</b>
          <span className="muted">of {formatCount(today.limit, 'request')}</span>
          <span className="push muted">{today.remaining.toLocaleString('en-US')} left</span>
        </div>
        <span className="meter">
          <i style={{ width: `${share.toFixed(2)}%` }} />
        </span>
        <p className="small muted">
          {refused === 0
            ? 'No requests were denied today. Requests from the admin area do not count toward the limit.'
            : `Requests denied today: ${refused.toLocaleString('en-US')}. The responses say when to try again.`}
        </p>
      </div>
    </Panel>
  )
}
