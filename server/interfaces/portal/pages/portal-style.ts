import { createHash } from 'node:crypto'

/**
 * The stylesheet of the portal. It is part of each page, so that a page needs only one request. It uses the same design
 * tokens as the admin area and adapts to the browser's color scheme and font size. The bar at the bottom never covers
 * the focused element. In a low window, such as on a phone held sideways, the bar scrolls with the page.
 */
export const STYLE = `
:root{color-scheme:light dark;--paper:#f4f5f3;--sheet:#fff;--margin:#fafaf8;--line:#e2e5e1;--line-strong:#c9ceca;--line-ui:#7f8886;--ink:#13191c;--ink-2:#434c51;--ink-3:#5d666b;--accent:#0a5c70;--fill:#0b5a6d;--on:#fff;--focus:#0b7690;--ok:#1b6534;--warn:#7c4c00;--warn-fill:#b27504;--bad:#a3241b;--bad-fill:#c8392d}
@media(prefers-color-scheme:dark){:root{--paper:#0f1214;--sheet:#161a1d;--margin:#131719;--line:#262c30;--line-strong:#384046;--line-ui:#717c82;--ink:#e8eced;--ink-2:#b3bcc0;--ink-3:#939da2;--accent:#6accde;--fill:#46aec3;--on:#04161b;--focus:#7fdcee;--ok:#79d297;--warn:#eabb68;--warn-fill:#dc9f33;--bad:#ff9a8e;--bad-fill:#ea6153}}
*{box-sizing:border-box}
html{scroll-padding:1rem 0 11rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 -apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
h1,h2,p,dl,dd,ul,ol,fieldset,legend{margin:0;padding:0;border:0}ul,ol{list-style:none}
h1{font-size:1.375rem;line-height:1.25;letter-spacing:-.01em}h2{font-size:1rem;line-height:1.3}
a{color:var(--accent);text-underline-offset:2px}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:3px}
.top,main,.bar>div,.by{max-width:620px;margin:0 auto;padding:12px 16px}
.top{display:flex;align-items:center;gap:10px;font-size:.875rem}.top svg{width:24px;height:24px;flex:none;color:var(--accent);fill:none;stroke:currentColor;stroke-width:1.5}
.top strong{display:block;font-size:.9375rem;line-height:1.25}.top span{color:var(--ink-3)}.top nav{margin-left:auto;flex:none}.top nav a{display:inline-block;padding:10px 0}
main{padding:4px 16px 24px;display:grid;gap:16px;grid-template-columns:minmax(0,1fr)}main:first-child{padding-top:24px}
.steps{display:grid;grid-template-columns:repeat(3,1fr);gap:6px;font-size:.8125rem;color:var(--ink-3)}
.steps li{border-top:3px solid var(--line-strong);padding-top:5px}.steps .done{border-color:var(--accent)}.steps [aria-current]{border-color:var(--accent);color:var(--ink);font-weight:600}
.lead{color:var(--ink-2)}.faint{color:var(--ink-3)}.small{font-size:.875rem}.state{font-weight:600}.pre{white-space:pre-line}
.sheet{background:var(--sheet);border:1px solid var(--line);border-radius:5px}
.sheet>h2{padding:12px 16px;border-bottom:1px solid var(--line);display:flex;gap:12px;justify-content:space-between}.sheet>h2 a{font-weight:400;font-size:.875rem}
.in{padding:14px 16px;display:grid;grid-template-columns:minmax(0,1fr);gap:12px}.in>legend{float:left;width:100%}.in>form{display:grid;gap:12px}:is(main,#price)>p.in{padding-inline:0}
.cells{display:flex;flex-wrap:wrap;border:1px solid var(--line-strong);border-radius:5px;background:var(--sheet);overflow:hidden}
.cells div{flex:1 1 45%;padding:8px 14px 9px;box-shadow:1px 0 0 var(--line),0 1px 0 var(--line)}.cells .all{flex-basis:100%}
dt{font-size:.8125rem;color:var(--ink-3)}.cells dd{font-weight:600}.cells .num{white-space:nowrap}.cells small{display:block;white-space:normal;font-weight:400;font-size:.875rem;color:var(--ink-2)}
table{width:100%;border-collapse:collapse}th,td{padding:10px 16px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}tr:last-child>*{border-bottom:0}th small,td small,.rows small{display:block;color:var(--ink-3);font-size:.875rem}
td.num{text-align:right;white-space:nowrap;padding-left:0}tfoot th,tfoot td{font-weight:600;border-top:1px solid var(--line-strong);background:var(--margin)}
.rows li{display:flex;gap:4px 16px;justify-content:space-between;flex-wrap:wrap;padding:10px 16px;border-bottom:1px solid var(--line)}.rows li:last-child{border:0}.rows li>div{flex:1 1 220px}.rows a{display:inline-block;padding:2px 0}
.st{font-size:.875rem;color:var(--ink-2)}.st.now{color:var(--warn);font-weight:600}.st.now::before{content:"▲ "/""}.st.ok{color:var(--ok)}.st.bad{color:var(--bad)}
.btn{display:flex;align-items:center;justify-content:center;min-height:48px;padding:8px 16px;border:1px solid var(--line-ui);border-radius:5px;background:var(--sheet);color:var(--ink);font-family:inherit;font-size:1rem;font-weight:600;line-height:1.2;text-decoration:none;text-align:center;cursor:pointer;width:100%}
.btn.small{width:auto;min-height:44px;font-size:.875rem}.btn.go{background:var(--fill);border-color:var(--fill);color:var(--on)}.btn.no{border-color:var(--bad-fill);color:var(--bad)}
.two{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end}.two>*{flex:1 9em}.bar .two>*{flex-basis:0}
.bar{position:sticky;bottom:0;background:var(--paper);border-top:1px solid var(--line-strong)}.bar>div{padding:10px 16px 14px;display:grid;gap:10px}.sum{display:flex;justify-content:space-between;align-items:baseline;gap:12px}.sum strong{font-size:1.1875rem}
label,.q{font-weight:600;font-size:.9375rem}label small,.q small{font-weight:400;color:var(--ink-3);font-size:.875rem}.q small{display:block}
.f{display:grid;grid-template-columns:minmax(0,1fr);gap:4px}
input:not([type=radio],[type=checkbox],[type=file]),textarea,select{width:100%;min-height:48px;padding:8px 12px;border:1px solid var(--line-ui);border-radius:5px;background:var(--sheet);color:var(--ink);font:inherit}
textarea{min-height:76px}.r{text-align:right}[aria-invalid]{border:2px solid var(--bad-fill)!important}
.money{display:flex;align-items:center;gap:8px}.money input{flex:1;min-width:0}.money>span:empty{display:none}
.line{display:grid;grid-template-columns:1fr 1fr;gap:8px 12px;align-items:center;padding:14px 16px;border-bottom:1px solid var(--line)}.line:last-of-type{border:0}.line>legend,.line>.wide{grid-column:1/-1}.line>legend{float:left;width:100%}.line>strong{text-align:right}
input[type=radio],input[type=checkbox]{width:22px;height:22px;margin:1px 0;accent-color:var(--fill);flex:none}input[type=file]{font:inherit;max-width:100%;padding:10px 0}
.pick{display:flex;gap:10px;align-items:flex-start;min-height:44px;padding:10px 0;font-weight:400;font-size:1rem}
.note{padding:11px 14px;border:1px solid var(--line-strong);border-left:4px solid var(--line-ui);border-radius:5px;background:var(--sheet)}.note.warn{border-left-color:var(--warn-fill)}.note.bad{border-left-color:var(--bad-fill)}.note.ok{border-left-color:var(--ok)}
.err{color:var(--bad);font-size:.875rem}
summary{padding:12px 16px;font-weight:600;cursor:pointer;min-height:48px}details[open] summary{border-bottom:1px solid var(--line)}
.by{padding:4px 16px 24px;color:var(--ink-3);font-size:.8125rem;display:grid;gap:4px}.by a{display:inline-block;padding:6px 0}
#price>.sheet+.sheet{margin-top:16px}summary small{font-weight:400;color:var(--ink-3)}
.found a{display:inline-block;padding:6px 0}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media(max-height:30rem){.bar{position:static}html{scroll-padding-bottom:1rem}}
@media print{.bar,form,.by,nav,.no-print{display:none}}
`.trim()

/** The hash of the stylesheet for the Content-Security-Policy, so that no other stylesheet applies. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
