"""Texts that some template language somewhere would run. Evaluated, most of them say 1337, and some name a class.

None of them is a template here but a channel itself, as in {{question}} and {{doc.text}}, where an author wrote it.
"""

from __future__ import annotations

TELLS = ("1337", "<class", "<function", "canary-", "uid=", "root:")
"""What none of them may turn into."""

EXPRESSIONS = [
    "{{7*191}}", "{{ 7*191 }}", "{{7*'191'}}", "{{{7*191}}}", "${7*191}", "${{7*191}}", "#{7*191}", "*{7*191}",
    "@{7*191}", "%{7*191}", "{7*191}", "@(7*191)", "[[${7*191}]]", "[[7*191]]", "[=7*191]", "{{=7*191}}",
    "{{= 7*191 }}", "<%= 7*191 %>", "<% print(7*191) %>", "<%# 7*191 %>", "<?= 7*191 ?>", "<?php echo 7*191; ?>",
    "{% print 7*191 %}", "{%7*191%}", "{% if 1 %}{{7*191}}{% endif %}", "#set($x=7*191)$x", "~{7*191}", "$(echo 7*191)",
    "$((7*191))", "`echo $((7*191))`", "${{'7'*191}}", "{{ 7|add:1330 }}", "{{1330|add:7}}",
]  # fmt: skip

WALKS = [
    "{{''.__class__.__mro__[1].__subclasses__()}}", "{{config}}", "{{config.SECRET_KEY}}", "{{settings.SECRET_KEY}}",
    "{{self.__init__.__globals__}}", "{{cycler.__init__.__globals__.os.popen('id').read()}}",
    "{{request.application.__globals__}}", "{{question.__class__}}", "{{question.__class__.__mro__}}",
    "{{lipsum.__globals__['os'].popen('id').read()}}", "{{get_flashed_messages.__globals__}}",
    "{{question|attr('__class__')}}", "{{question|upper}}", "{{question | safe}}", "{{question.upper()}}",
    "{0.__class__}", "{question.__class__}", "{question.__class__.__init__.__globals__}", "{self}", "{0}", "{}",
    "{!r}", "{0!r:>99}", "%(question)s", "%s", "%n", "%999999999d", "$question", "${question}", "$env:ORDER_KEY",
    "{{constructor.constructor('return 7*191')()}}", "{{toString.constructor('alert(7*191)')()}}",
    "{{#with 's' as |x|}}{{x.constructor}}{{/with}}", "{{#each this}}{{@key}}{{/each}}", "{{>partial}}", "{{!note}}",
    "{{&question}}", "{{=<% %>=}}<% question %>", "{{^question}}no{{/question}}", "{% debug %}",
    "{% include '/etc/passwd' %}", "{% include 'studio/base.html' %}", "{% load log %}{% get_admin_log 10 as x %}",
    "{% extends 'x' %}", "{% csrf_token %}", "{{ form.as_p }}", "{{env:ORDER_KEY}}", "{{ env:ORDER_KEY }}",
    "{{env.ORDER_KEY}}", "{{secrets.ORDER_KEY}}", "{{{{question}}}}", "{{'{{'}}7*191}}", "\\u007b\\u007b7*191}}",
    "&#123;&#123;7*191}}", "{\u200b{7*191}\u200b}", "｛｛7*191｝｝", "javascript:alert(7*191)",
    "<script>document.title='1'+'337'</script>", "<img src=x onerror=\"document.title='1'+'337'\">",
    "<svg/onload=document.title='1'+'337'>", "[x](javascript:document.title='1'+'337')", "<!--#exec cmd='id'-->",
    "'\"><style>*{color:red}</style>", "</script><script>document.title='1'+'337'</script>",
    "__import__('os').getpid()",
    "f'{7*191}'", "eval('7*191')", "=7*191", "=cmd|'/C calc'!A0",
]  # fmt: skip

PAYLOADS = [*EXPRESSIONS, *WALKS]
