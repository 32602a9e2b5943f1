/**
 * Synonyms for topics of the documentation. Each entry consists of a path below /docs and words by which the search
 * also finds the topic. Every path must exist, because the search index cannot be built otherwise.
 */
export const SEARCH_SYNONYMS: readonly (readonly [address: string, words: string])[] = [
  ['#ids', 'identifiers uuid primary key typeid'],
  [
    '#money',
    'cents decimals currency price amount rounding float integer time zone timezone timestamp datetime iso 8601',
  ],
  ['#texts', 'unicode utf-8 encoding emoji'],
  ['#lists', 'pagination paginate cursor offset'],
  ['#links', 'include embed join nested related'],
  ['#writing', 'merge patch update optimistic locking put null clear'],
  ['#errors', 'problem details rfc 9457 error handling exceptions'],
  ['#limits', 'rate limiting throttling 429 quota'],
  ['#changes', 'versioning breaking changes deprecation semver'],
  ['#these-pages', 'dark mode light theme print'],
  [
    '/guides/first-call#authenticate',
    'authentication authenticate authorization login log in sign in bearer api key token credentials',
  ],
  [
    '/guides/first-call#use-the-typescript-client',
    'sdk install npm client library package python c# generate javascript',
  ],
  ['/guides/paging', 'pagination paginate infinite scroll cursor offset load more'],
  ['/guides/idempotency#prevent-lost-updates', 'optimistic locking concurrency lost update version etag 412'],
  ['/guides/idempotency', 'idempotency idempotent retry retries duplicate at most once'],
  ['/guides/limits', 'rate limiting throttling 429 quota'],
  ['/guides/agents#connect-an-app-with-oauth', 'oauth login log in authentication connector claude chatgpt'],
  ['/guides/browser', 'frontend front-end spa react vue single page app javascript'],
  ['/guides/browser#create-browser-tokens-on-your-server', 'authentication login backend for frontend proxy'],
  ['/guides/browser#refresh-expired-tokens', 'expired token refresh renew session'],
  ['/guides/browser#use-react-hooks', 'tanstack react query swr enum enums constants select options values'],
  [
    '/guides/browser#receive-changes',
    'realtime real-time live websocket sse server-sent events long polling push subscribe stream',
  ],
  ['/guides/browser#show-and-upload-files', 'image picture photo logo thumbnail upload download file attachment'],
  ['/guides/webhooks', 'realtime push notifications callback subscribe'],
  ['/guides/mock', 'sandbox test mode staging fake fixtures stub'],
  ['/glossary#term-trade', 'scope trade'],
]
