"""The JavaScript that Leadline runs in a page: wait until it is drawn, then take its HTML."""

from __future__ import annotations

SETTLED = """([quiet, most]) => new Promise(done => {
  let timer;
  const end = () => { watcher.disconnect(); clearTimeout(timer); done(true); };
  const bump = () => { clearTimeout(timer); timer = setTimeout(end, quiet); };
  const watcher = new MutationObserver(bump);
  watcher.observe(document, {subtree: true, childList: true, characterData: true});
  bump();
  setTimeout(end, most);
})"""
"""Resolves once nothing was drawn for ``quiet`` milliseconds, at the latest after ``most``."""

HAS_SCRIPTS = "() => document.scripts.length > 0"

TAKE = """(most) => {
  const MARK = 'data-leadline-hidden';
  const marked = [], roots = [];
  const hidden = (el) => {
    const style = getComputedStyle(el);
    if (style.display === 'none') return !/^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/.test(el.tagName);
    const unseen = style.visibility !== 'visible' || parseFloat(style.fontSize) < 2;
    if (unseen) return !el.children.length;
    const position = style.position;
    if (position === 'absolute' || position === 'fixed') {
      const box = el.getBoundingClientRect();
      if (box.width <= 1 && box.height <= 1 && style.overflow !== 'visible') return true;
      if (box.right < -2000 || box.bottom + scrollY < -2000) return true;
    }
    return false;
  };
  let seen = 0;
  const walk = (root) => {
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    let el = nodes.nextNode();
    while (el && seen < 40000) {
      seen += 1;
      let skip = false;
      if (el.shadowRoot && roots.length < 500) { roots.push(el.shadowRoot); walk(el.shadowRoot); }
      if (hidden(el)) { el.setAttribute(MARK, ''); marked.push(el); skip = true; }
      let next = skip ? null : nodes.nextNode();
      if (skip) {  // what lies inside a hidden element is hidden with it
        let at = el;
        while (at && !next) {
          next = nodes.nextSibling();
          if (!next) at = nodes.parentNode();
        }
      }
      el = next;
    }
  };
  if (document.body) walk(document.body);
  const top = document.documentElement;
  let html = '';
  if (top) {
    if (roots.length && top.getHTML) {
      const lang = (top.lang || '').replace(/[^a-zA-Z-]/g, '');
      html = `<html lang="${lang}">${top.getHTML({shadowRoots: roots})}</html>`;
    } else {
      html = top.outerHTML;
    }
  }
  marked.forEach(el => el.removeAttribute(MARK));
  const size = html.length;
  return {url: location.href, title: document.title, charset: document.characterSet, size,
          html: size > most ? '' : html};
}"""
"""The page's HTML with what nobody can see marked ``data-leadline-hidden``; open shadow roots are
part of it. ``html`` is empty when it is longer than ``most`` characters."""

HIDDEN_MARK = "data-leadline-hidden"
